-- Frees a lock, whoever has it.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] channel
-- ARGV[2] 1 in a cluster, where the shard is told
-- returns {1} if anybody had it, {0} if not

if redis.call('hlen', KEYS[1]) == 0 then
  return {0}
end
redis.call('del', KEYS[1])
local heard = ARGV[2] == '1' and redis.pcall('spublish', ARGV[1], '0') or redis.pcall('publish', ARGV[1], '0')
if type(heard) == 'table' and ARGV[2] == '1' and string.find(heard.err, 'Unknown') then
  redis.pcall('publish', ARGV[1], '0')
end
return {1}
