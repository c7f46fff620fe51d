-- Tells what a lock's keys hold.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue of a fair lock (list of owners, the next one first)
-- returns {ms it has left, {owner in the queue, …}, field, value, field, value, …}; {-2, {…}} if nobody has it

local left = redis.call('pttl', KEYS[1])
local answer = {left, redis.call('lrange', KEYS[2], 0, -1)}
if left ~= -2 then
  for _, text in ipairs(redis.call('hgetall', KEYS[1])) do
    answer[#answer + 1] = text
  end
end
return answer
