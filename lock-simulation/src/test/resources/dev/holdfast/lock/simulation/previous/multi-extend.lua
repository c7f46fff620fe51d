-- Makes several locks live at least so long from now on, if all of them are their owner's still.
--
-- KEYS[i] a lock (hash)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] the grant's first token
-- returns {1} if so, {0} if one is not the owner's, and then nothing is changed

local ttl = tonumber(ARGV[2])
if not ttl or ttl % 1 ~= 0 or ttl < 10 or ttl > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local leases = {}
for i, key in ipairs(KEYS) do
  local known = redis.pcall('hmget', key, ARGV[1], 'holdfast:lease', 'holdfast:token')
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  if known.err or not known[1] or known[3] ~= ARGV[3] then
    return {0}
  end
  leases[i] = tonumber(known[2]) or 0
end
for i, key in ipairs(KEYS) do
  if leases[i] < ttl then
    redis.call('hset', key, 'holdfast:lease', ARGV[2])
  end
  if redis.call('pttl', key) < ttl then
    redis.call('pexpire', key, ttl)
  end
end
return {1}
