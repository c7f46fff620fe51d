-- Ends a reader's or a writer's hold, or lets it live on alone for a minimum hold. A writer that reads as well goes on as a reader. A holder
-- that has no hold leaves the line. Those whose turn it is are told when the lock is free for them, or will be earlier than its holders' leases end.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the hold (string)
-- KEYS[3] the line (list of places, the next one first)
-- KEYS[4] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] the holder's field
-- ARGV[2] ms to keep it from the other side still; 0 ends it now
-- ARGV[3] what the names of this lock's holds begin with
-- ARGV[4] channel
-- ARGV[5] 1 in a cluster, where the shard is told
-- ARGV[6] what the names of clients' channels begin with
-- returns {1, how many listeners heard of it, or -1 if a right is missing to tell them} if it was the holder's, {0, 0} if not
--
-- Its first write is a command that a server without memory still allows; from then on it allows all. The cost does not depend on the number of
-- readers beyond 64.
--
-- Begins with rw-line-head.lua.

local keep = tonumber(ARGV[2])
if not keep or keep % 1 ~= 0 or keep < 0 or keep > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local line = {lock = KEYS[1], places = KEYS[3], deadlines = KEYS[4]}
local to = {wake = ARGV[6], cluster = ARGV[5]}
local known = redis.call('hmget', KEYS[1], 'mode', ARGV[1])
local mode = known[1]
local held = redis.call('pttl', KEYS[2]) ~= -2
if not (mode and known[2]) then
  if held then
    redis.call('del', KEYS[2])
  end
  if leave(line, ARGV[1]) and mode ~= 'write' then
    tell_next(line, to, not mode)
  end
  return {0, 0}
end
local kept = held and keep > 0
local said = kept and redis.call('get', KEYS[2])
redis.call('hdel', KEYS[1], ARGV[1])
redis.call('del', KEYS[2])
if kept then
  local field = kept_owner(ARGV[1])
  redis.call('hset', KEYS[1], field, 1)
  redis.call('set', ARGV[3] .. ':' .. field .. ':rwlock_timeout:1', ARGV[2] .. (string.match(said, ':%d+$') or ':0'), 'px', ARGV[2])
end

-- Redisson's clients receive this message and do nothing, so publishing it counts them. A writer of ours that is told asks before they are woken.
-- Otherwise it would hardly ever come in: a writer's release wakes all threads of theirs, and one place of ours.
local COUNT = '2'

-- A lock with more readers is not searched to its end once a living one is found.
local MOST_SEEN = 64

-- How long a field's hold lives.
local function lives(field, count)
  if is_writer(field) and not string.find(field, ':%d+:%d+:write$') then
    -- Another library's writer has no hold of its own: it is there for as long as the lock.
    return redis.call('pttl', KEYS[1])
  end
  local longest = -2
  for hold = holds_of(count), 1, -1 do
    longest = math.max(longest, redis.call('pttl', ARGV[3] .. ':' .. field .. ':rwlock_timeout:' .. hold))
  end
  return longest
end

local longest = -2
local writes = false
local ours = false
local seen = 0
local partly = false
local cursor = '0'
repeat
  local page = redis.call('hscan', KEYS[1], cursor, 'count', 16)
  cursor = page[1]
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    if field ~= 'mode' then
      local ms = lives(field, page[2][i + 1])
      if ms >= 0 then
        longest = math.max(longest, ms)
        writes = writes or is_writer(field)
        ours = ours or not is_redisson(field)
      else
        redis.call('hdel', KEYS[1], field)
      end
    end
  end
  seen = seen + #page[2] / 2
  partly = mode == 'read' and not kept and longest >= 0 and seen >= MOST_SEEN and cursor ~= '0'
until partly or cursor == '0'

local was = held and 1 or 0
local message = nil
if longest < 0 then
  redis.call('del', KEYS[1])
  -- One writer is enough to wake, after a writer everybody.
  message = mode == 'write' and '1' or '0'
elseif partly then
  -- Some reader lives. The lock lives as long as its longest hold, or longer.
  return {was, 0}
else
  local before = redis.call('pttl', KEYS[1])
  redis.call('pexpire', KEYS[1], longest)
  if mode == 'write' and not writes then
    redis.call('hset', KEYS[1], 'mode', 'read')
    -- Again: see "Ends come last" in docs/protocol.md.
    redis.call('pexpire', KEYS[1], longest)
    message = '1'
  elseif kept and longest < before then
    -- It ends earlier than those who wait have been told: they learn it by their next question.
    message = mode == 'write' and '1' or '0'
  end
end
if not message then
  if not ours then
    -- Only Redisson's readers are left. The next in line asks, learns of them, and listens to their releases.
    after_release(tell_next, line, to, true)
  end
  return {was, 0}
end
local free = longest < 0
local heard = tell(ARGV[5], ARGV[4], free and COUNT or message)
local left = free and heard > 0 and after_release(leave_to_redisson, line)
local writer_told = after_release(tell_next, line, to, free or kept)
if free and heard > 0 and (left or not writer_told) then
  tell(ARGV[5], ARGV[4], message)
end
return {was, held and (cannot_know and -1 or heard) or 0}
