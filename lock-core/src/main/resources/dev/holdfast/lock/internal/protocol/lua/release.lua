-- Frees a plain or a fair lock that is its owner's and grants it to the next in its line; or lets it live on alone for a minimum hold. An
-- owner that does not hold it leaves the line.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] the line (list of places, the next one first)
-- KEYS[4] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] owner
-- ARGV[2] ms to keep it from everybody still; 0 frees it now
-- ARGV[3] the lock's channel for Redisson's clients
-- ARGV[4] 1 in a cluster, where the shard is told
-- ARGV[5] what the names of clients' channels begin with
-- ARGV[6] highest number drawn that this client has seen
-- ARGV[7] kind: empty for a plain lock, or fair
-- returns {1, n} if it was the owner's, {0, 0} if not; n is -1 if a right is missing to tell others
--
-- Its first write is a command that a server without memory still allows; from then on it allows all.
--
-- Begins with release-free-head.lua.
-- Begins with line-head.lua.

local line = {lock = KEYS[1], places = KEYS[3], deadlines = KEYS[4]}
local to = {token = KEYS[2], kind = ARGV[7], channel = ARGV[3], cluster = ARGV[4], wake = ARGV[5], seen = ARGV[6]}
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:granted')
if not known[1] then
  if leave(line, ARGV[1]) and redis.call('pttl', KEYS[1]) == -2 then
    serve(line, to)
  end
  return {0, 0}
end
local heard = 0
if tonumber(ARGV[2]) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  -- The first in line learns by its question how long that is.
  to.tells = true
else
  redis.call('del', KEYS[1])
end
if to.kind ~= 'fair' then
  -- Where a Redisson client listens, every second release of the line leaves the lock to the first that asks.
  heard = tell(to.cluster, to.channel, '0')
  to.tells = to.tells or (heard > 0 and known[2])
end
serve(line, to)
return {1, cannot_know and -1 or heard}
