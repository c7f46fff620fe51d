-- Makes a lock live at least so long from now on.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] the grant's first token: the owner id alone may name a later grant, after Redis has lost this one
-- returns {1} if so, {0} if it is not the owner's

local ttl = tonumber(ARGV[2])
if not ttl or ttl % 1 ~= 0 or ttl < 10 or ttl > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:lease', 'holdfast:token')
if not known[1] or known[3] ~= ARGV[3] then
  return {0}
end
if (tonumber(known[2]) or 0) < ttl then
  redis.call('hset', KEYS[1], 'holdfast:lease', ARGV[2])
end
if redis.call('pttl', KEYS[1]) < ttl then
  redis.call('pexpire', KEYS[1], ttl)
end
return {1}
