-- The usual release: nobody waits in the line, and the lock is freed at once. It comes before what only the other cases need.
--
-- KEYS[1] the lock (hash)
-- KEYS[3] the line (list of places, the next one first)
-- ARGV[1] owner
-- ARGV[2] ms to keep it from everybody still; 0 frees it now
-- ARGV[3] the lock's channel for Redisson's clients
-- ARGV[4] 1 in a cluster, where the shard is told
-- ARGV[7] kind: empty for a plain lock, or fair
--
-- Begins with tell-head.lua.

if ARGV[2] == '0' and redis.call('pttl', KEYS[3]) == -2 then
  if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
    return {0, 0}
  end
  redis.call('del', KEYS[1])
  return {1, ARGV[7] == 'fair' and 0 or tell(ARGV[4], ARGV[3], '0')}
end

