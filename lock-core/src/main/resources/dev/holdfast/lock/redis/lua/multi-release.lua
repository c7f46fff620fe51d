-- Frees those of several locks that are their owner's, or lets them live on alone for a minimum hold. Either way waiters are
-- told, and learn by their next question how long that is.
--
-- KEYS[i]    a lock (hash)
-- ARGV[1]    owner
-- ARGV[2]    ms to keep them from everybody still; 0 frees them now
-- ARGV[3]    1 in a cluster, where the shard is told
-- ARGV[i+3]  the lock's channel
-- returns {1, the most listeners that one channel has, or -1 if it could not be said} if all were the owner's, {0, 0} if not
--
-- Only commands that a server without memory still allows. A part that is gone, or was overwritten, keeps none of the others.
--
-- Begins with tell-head.lua.

local all = 1
local listeners = 0
for i, key in ipairs(KEYS) do
  if redis.pcall('hexists', key, ARGV[1]) ~= 1 then
    all = 0
  else
    if tonumber(ARGV[2]) > 0 then
      redis.call('pexpire', key, ARGV[2])
    else
      redis.call('del', key)
    end
    local heard = tell(ARGV[3], ARGV[i + 3], '0')
    listeners = (heard < 0 or listeners < 0) and -1 or math.max(listeners, heard)
  end
end
return all == 1 and {1, listeners} or {0, 0}
