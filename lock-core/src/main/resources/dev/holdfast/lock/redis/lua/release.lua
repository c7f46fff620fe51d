-- Frees a lock that is its owner's, or lets it live on alone for a minimum hold. Either way waiters are told, and learn by
-- their next question how long that is.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] ms to keep it from everybody still; 0 frees it now
-- ARGV[3] channel
-- ARGV[4] 1 in a cluster, where the shard is told
-- returns {1, how many listeners heard of it, or -1 if it could not be said} if it was the owner's, {0, 0} if not
--
-- Only commands that a server without memory still allows.
--
-- Begins with tell-head.lua.

if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return {0, 0}
end
if tonumber(ARGV[2]) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
else
  redis.call('del', KEYS[1])
end
return {1, tell(ARGV[4], ARGV[3], '0')}
