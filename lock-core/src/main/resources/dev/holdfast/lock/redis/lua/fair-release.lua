-- Frees a fair lock that is its owner's, or lets it live on alone for a minimum hold; takes the owner out of the queue, if it is
-- there; and tells the head of the queue if that made the lock free for it, now or at the end of the minimum hold.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue (list of owners, the next one first)
-- KEYS[3] until when each of them is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] owner
-- ARGV[2] ms to keep it from everybody still; 0 frees it now
-- ARGV[3] channel of the lock; that of a waiter is this one, a colon, and the waiter's owner id
-- ARGV[4] 1 in a cluster, where the shard is told
-- returns {1, how many listeners heard of it, or -1 if it could not be said} if it was the owner's, {0, 0} if not
--
-- Only commands that a server without memory still allows.
--
-- Begins with tell-head.lua.

local mine = redis.call('hexists', KEYS[1], ARGV[1])
local function first()
  return redis.call('lrange', KEYS[2], 0, 0)[1]
end
local head = first()
if mine == 1 then
  if tonumber(ARGV[2]) > 0 then
    redis.call('pexpire', KEYS[1], ARGV[2])
  else
    redis.call('del', KEYS[1])
  end
else
  if head then
    redis.call('lrem', KEYS[2], 0, ARGV[1])
    redis.call('zrem', KEYS[3], ARGV[1])
  end
  if head ~= ARGV[1] or redis.call('pttl', KEYS[1]) ~= -2 then
    return {0, 0}
  end
  head = first()
end

local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
while head do
  local deadline = tonumber(redis.call('zscore', KEYS[3], head))
  if deadline and deadline > now then
    break
  end
  redis.call('zrem', KEYS[3], head)
  redis.call('ltrim', KEYS[2], 1, -1)
  head = first()
end
local heard = 0
if head then
  heard = tell(ARGV[4], ARGV[3] .. ':' .. head, '0')
end
return {mine, mine == 0 and 0 or heard}
