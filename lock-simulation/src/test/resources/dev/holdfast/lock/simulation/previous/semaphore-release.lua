-- Ends a permit and grants what is free to those who wait for it; or lets it live on alone for a minimum hold. An owner without a permit leaves
-- the line.
--
-- KEYS[1] the semaphore (hash); the keys of its line follow from its name
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] ms to keep it from everybody still; 0 ends it now
-- ARGV[4] kind: semaphore, or fair-semaphore
-- returns 0 if the permit was the owner's, -1 if it was and a right is missing to tell others; -2 if it was not
--
-- Its first write is a command that a server without memory still allows; from then on it allows all.
--
-- Begins with semaphore-head.lua.

local keep = whole(ARGV[3], 0, 86400000)
if not (keep and is_semaphore(ARGV[4])) then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local now = server_millis()
local line = line_of(KEYS[1])
local to = serving(line, KEYS[2], ARGV[4] == 'fair-semaphore' and 'fair' or '', ARGV[2])
local ends, lease, token = permit(redis.call('hmget', KEYS[1], ARGV[1])[1])
local mine = ends and ends > now
if mine and keep > 0 then
  if redis.call('hlen', KEYS[1]) == NOT_OWNERS + 1 then
    redis.call('pexpire', KEYS[1], keep)
  end
  redis.call('hdel', KEYS[1], ARGV[1])
  write_permit(KEYS[1], ARGV[4], kept_owner(ARGV[1]), now, keep, math.max(lease, keep), token)
  -- The first in line learns by its question how long that is.
  to.tells = true
  after_release(serve, line, to)
elseif ends then
  redis.call('hdel', KEYS[1], ARGV[1])
  if redis.call('hlen', KEYS[1]) == NOT_OWNERS then
    redis.call('del', KEYS[1])
  end
  after_release(serve_permits, line, to, ARGV[4], now)
elseif leave(line, ARGV[1]) then
  serve_permits(line, to, ARGV[4], now)
end
return mine and (cannot_know and -1 or 0) or -2
