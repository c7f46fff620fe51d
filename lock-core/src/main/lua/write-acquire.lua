-- Grants a read/write lock to a writer if it has no living reader or writer, and draws a block of fencing tokens. Otherwise, a writer that waits
-- enters the queue or keeps its place there.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] the writer's field
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the writer's place counts as alive; 0 for a writer that does not wait. lib/queue.lua explains its fraction
-- ARGV[5] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns the first token if the lock is granted now; {1, first token, ms left} if the writer had it already; or {0, ms that a holder has left, that
--         holder, -1, flags} if it is refused. flags is 1 near the head of the queue, plus 2 if a Redisson client reads, plus 4 if the slot is
--         closed

local grace = ARGV[5]
local side = 'write'

--#include rw-acquire

-- The largest number of dead holders that one script visits to find a living one.
local MOST_DEAD = 200

-- Returns whether one of these fields belongs to a Redisson client. A release after which only Redisson's readers are left tells the first place to
-- ask, so that it learns this.
local function has_redisson(page)
  for i = 1, #page, 2 do
    if is_redisson(page[i]) then
      return true
    end
  end
  return false
end

-- Each holder is alive as long as its own hold. A living holder excludes the writer, and dead holders do not.
local dead = {}
local cursor = '0'
repeat
  local found = redis.call('hscan', lock, cursor, 'count', 16)
  local page = found[2]
  cursor = found[1]
  for i = 1, #page, 2 do
    if page[i] ~= 'mode' then
      local ms = left_of_holder(lock, page[i], page[i + 1], left_of_hold)
      if ms ~= -2 then
        return refused(ms, page[i], not is_foreign_writer(page[i]) and has_redisson(page))
      end
      dead[#dead + 1] = page[i]
    end
  end
  if #dead >= MOST_DEAD and cursor ~= '0' then
    -- The next request continues behind these holders.
    redis.call('hdel', lock, unpack(dead))
    return refused(1, '')
  end
until cursor == '0'
local first, ms = first_ahead()
if first == TURN_END then
  return refused(ms, '')
elseif first then
  -- The lock is free for the places ahead. They were told to ask, or are told now, and get a moment to do so.
  notify_next(queue, true)
  return refused(math.min(ms, TURN), '')
end

local token = write_hold()
-- This also removes the dead holders.
redis.call('del', lock)
redis.call('hset', lock, 'mode', 'write', owner, 1)
local ended = redis.pcall('pexpire', lock, ARGV[3])
if type(ended) == 'table' then
  -- Removes the lock, because a lock must not be left without an end.
  redis.pcall('del', lock, hold)
  return ended
end
if lifetime > 0 then
  leave(queue, owner)
end
return token
