-- The answer of an acquiring script while the slot is closed.

--#include enter
--#include clock

-- Refuses the owner, also if the lock seems to be free or its own. An owner that waits enters the queue. Adds 4 to the flags.
local function not_yet(queue, ms)
  local flags = 0
  if lifetime > 0 then
    local now = server_millis()
    flags = enter(queue, owner, now, now + lifetime, now + lifetime)
    -- The release of a hold that was granted before, or is asserted, looks at the queue only with this note.
    if redis.pcall('hexists', queue.lock, 'holdfast:token') == 1 then
      redis.call('hset', queue.lock, 'holdfast:line', '1')
    end
  end
  return {0, ms, '', -1, flags + 4}
end
