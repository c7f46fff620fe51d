-- Tells what a lock's key holds.
--
-- KEYS[1] the lock (hash)
-- returns {ms it has left, field, value, field, value, …}; {-2} if nobody has it

local left = redis.call('pttl', KEYS[1])
local answer = {left}
if left ~= -2 then
  for _, text in ipairs(redis.call('hgetall', KEYS[1])) do
    answer[#answer + 1] = text
  end
end
return answer
