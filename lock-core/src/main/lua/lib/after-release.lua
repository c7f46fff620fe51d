-- What a release does once its lock is free.

-- Runs the step of a release that serves the queue once the lock is free. If another program has overwritten the queue's keys, nobody is notified and
-- the release still succeeds, because an error would mean that the lock is still held.
local function after_release(step, queue, second, third)
  local done, answer = pcall(step, queue, second, third)
  if not done and not string.find(answer.err or answer, 'WRONGTYPE') then
    error(answer, 0)
  end
  return done and answer
end
