-- Lets a writer in where nobody alive reads or writes, and draws a block of fencing tokens.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] this hold (string)
-- KEYS[4] the line (list of places, the next one first)
-- KEYS[5] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] the writer's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] what the names of this lock's holds begin with
-- ARGV[5] for how many ms the writer's place is taken for alive, if it waits; 0 if it does not. Its fraction says
--         whether the client hears messages, see line-head.lua
-- ARGV[6] what the names of clients' channels begin with
-- ARGV[7] 1 in a cluster, where the shard is told
-- returns {1, first token} if the writer is in, {1, first token, ms left} if it was already, {0, ms that a holder has left, that
--         holder, -1, 1 if near the head of the line} if not: no release grants this
--
-- State is written, never counted up: a second run for the same writer finds its own hold and answers as the first did.
-- Lua does not roll back, so everything is validated before the first write.
--
-- Begins with rw-acquire-head.lua.

-- How many dead holders one script looks at to find a living one.
local MOST_DEAD = 200

-- How long a field's hold lives, negative if it is over.
local function lives(field, count)
  local longest = -2
  for hold = holds_of(count), 1, -1 do
    longest = math.max(longest, left(ARGV[4] .. ':' .. field .. ':rwlock_timeout:' .. hold))
  end
  return longest
end

-- Whether a Redisson client is among these fields. If it is not yet, the release after which only Redisson's readers are left says so.
local function has_redisson(page)
  for i = 1, #page, 2 do
    if is_redisson(page[i]) then
      return true
    end
  end
  return false
end

-- Each holder is alive for as long as its own hold, however long others go on. One that lives is enough; the dead are in nobody's way.
local dead = {}
local cursor = '0'
repeat
  local page = redis.call('hscan', KEYS[1], cursor, 'count', 16)
  cursor = page[1]
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    if string.sub(field, -6) == ':write' and not string.find(field, ':%d+:%d+:write$') then
      -- A writer of another library has no hold of its own: it is there for as long as the lock.
      return refused(remaining, field)
    end
    local ms = field == 'mode' and -2 or lives(field, page[2][i + 1])
    if ms >= 0 then
      return refused(ms, field, has_redisson(page[2]))
    elseif field ~= 'mode' then
      dead[#dead + 1] = field
    end
  end
  if #dead >= MOST_DEAD and cursor ~= '0' then
    -- The next question goes on behind these.
    redis.call('hdel', KEYS[1], unpack(dead))
    return refused(1, '')
  end
until cursor == '0'
local first, ms = first_ahead()
if first == THEIRS then
  return refused(ms, '')
elseif first then
  -- The lock is free for those ahead. They were told, or are told now, and have a moment to come.
  tell_next(line, to, true)
  return refused(math.min(ms, TURN), '')
end

local token = draw(KEYS[2], ARGV[3])
redis.call('set', KEYS[3], ARGV[2] .. ':' .. decimal(token), 'px', ARGV[2])
-- The dead with it.
redis.call('del', KEYS[1])
redis.call('hset', KEYS[1], 'mode', 'write', ARGV[1], 1)
local expiring = redis.pcall('pexpire', KEYS[1], ARGV[2])
if type(expiring) == 'table' then
  -- Better no lock than one without an end.
  redis.pcall('del', KEYS[1], KEYS[3])
  return expiring
end
if patience > 0 then
  leave(line, ARGV[1])
end
return {1, token}
