-- Makes a reader's or a writer's hold live at least so long from now on, and the lock with it.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the hold (string)
-- ARGV[1] the holder's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- returns {1} if so, {0} if it is not the holder's any more

local ttl = tonumber(ARGV[2])
if not ttl or ttl % 1 ~= 0 or ttl < 10 or ttl > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local stored = redis.call('hexists', KEYS[1], ARGV[1]) == 1 and redis.call('get', KEYS[2])
if not stored then
  return {0}
end
local lease, token = string.match(stored, '^(%d+):(%d+)$')
if (tonumber(lease) or ttl) < ttl then
  redis.call('set', KEYS[2], ARGV[2] .. ':' .. token, 'keepttl')
end
for _, key in ipairs(KEYS) do
  if redis.call('pttl', key) < ttl then
    redis.call('pexpire', key, ttl)
  end
end
return {1}
