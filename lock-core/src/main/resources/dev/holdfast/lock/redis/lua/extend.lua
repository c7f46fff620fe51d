-- Makes a lock live at least so long from now on.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] lease in ms
-- ARGV[3] longest time to live that the holder may set, in ms
-- returns {1} if so, {0} if it is not the owner's

local lease = tonumber(ARGV[2])
local longest = tonumber(ARGV[3])
if not lease or lease % 1 ~= 0 or lease < 10 or lease > 86400000 or not longest or longest < 10 or longest > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:lease')
if not known[1] then
  return {0}
end
if (tonumber(known[2]) or 0) < longest then
  redis.call('hset', KEYS[1], 'holdfast:lease', ARGV[3])
end
if redis.call('pttl', KEYS[1]) < lease then
  redis.call('pexpire', KEYS[1], lease)
end
return {1}
