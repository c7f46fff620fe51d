-- Frees those of several locks that are their owner's and grants each to the next in its line; or lets them live on alone for a minimum hold.
-- An owner that does not hold a lock leaves its line.
--
-- KEYS[1]    the last number drawn in this slot (string)
-- KEYS[i+1]  a lock (hash)
-- ARGV[1]    owner
-- ARGV[2]    ms to keep them from everybody still; 0 frees them now
-- ARGV[3]    1 in a cluster, where the shard is told
-- ARGV[4]    what the names of clients' channels begin with
-- ARGV[5]    highest number drawn that this client has seen
-- ARGV[i+5]  the lock's channel for Redisson's clients
-- returns {1, n} if all were the owner's, {0, n} if not; n is how many of Redisson's clients heard of one of
--            them, -1 if a right is missing to tell others
--
-- The first write is a command that a server without memory still allows. A part that is gone, or was overwritten, keeps none of the others.
--
-- Begins with line-head.lua.

local keep = tonumber(ARGV[2])
if not keep or keep % 1 ~= 0 or keep < 0 or keep > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local all = 1
local heard = 0
for i = 2, #KEYS do
  local line = line_of(KEYS[i])
  local to = {token = KEYS[1], kind = '', channel = ARGV[i + 4], cluster = ARGV[3], wake = ARGV[4], seen = ARGV[5]}
  local free = false
  if redis.pcall('hexists', KEYS[i], ARGV[1]) ~= 1 then
    all = 0
    free = after_release(leave, line, ARGV[1]) and redis.call('pttl', KEYS[i]) == -2
  elseif keep > 0 then
    redis.call('pexpire', KEYS[i], ARGV[2])
    redis.call('hset', KEYS[i], kept_owner(ARGV[1]), 1, 'holdfast:lease', ARGV[2])
    redis.call('hdel', KEYS[i], ARGV[1])
    -- Again: see "Ends come last" in docs/protocol.md.
    redis.call('pexpire', KEYS[i], ARGV[2])
    heard = math.min(heard, tell(to.cluster, to.channel, '0'))
    to.tells = true
    free = true
  else
    redis.call('del', KEYS[i])
    local listeners = tell(to.cluster, to.channel, '0')
    heard = (heard < 0 or listeners < 0) and -1 or math.max(heard, listeners)
    to.tells = listeners > 0 and after_release(leave_to_redisson, line)
    free = true
  end
  if free then
    after_release(serve, line, to)
  end
end
return {all, heard}
