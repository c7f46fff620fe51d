-- Frees a plain or a fair lock that is its owner's and grants it to the next in its line; or lets it live on alone for a minimum hold. An
-- owner that does not hold it leaves the line.
--
-- KEYS[1] the lock (hash); the keys of its line follow from its name
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] ms to keep it from everybody still; left out, or 0, frees it now
-- ARGV[4] kind: left out for a plain lock, or fair
-- returns how many of Redisson's clients heard of it if it was the owner's, -1 if a right is missing to tell others; -2 if it was not
--
-- Its first write is a command that a server without memory still allows; from then on it allows all.
--
-- Begins with release-free-head.lua.
-- Begins with line-head.lua.

local line = line_of(KEYS[1])
local to = serving(line, KEYS[2], kind, ARGV[2])
if not known[1] then
  if leave(line, ARGV[1]) and redis.call('pttl', KEYS[1]) == -2 then
    serve(line, to)
  end
  return -2
end
local heard = 0
if keep > 0 then
  redis.call('pexpire', KEYS[1], ARGV[3])
  redis.call('hset', KEYS[1], kept_owner(ARGV[1]), 1, 'holdfast:lease', ARGV[3])
  redis.call('hdel', KEYS[1], ARGV[1])
  -- Again: see "Ends come last" in docs/protocol.md.
  redis.call('pexpire', KEYS[1], ARGV[3])
  -- The first in line learns by its question how long that is.
  to.tells = true
elseif not told then
  redis.call('del', KEYS[1])
end
if to.kind ~= 'fair' then
  heard = told or tell(to.cluster, to.channel, '0')
  if heard > 0 and keep == 0 then
    -- The first in line is told to ask: it comes in when Redisson's clients had their time.
    to.tells = after_release(leave_to_redisson, line)
  end
end
after_release(serve, line, to)
return cannot_know and -1 or heard
