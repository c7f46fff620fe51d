-- Grants a read/write lock to a reader if no other owner writes, and draws a block of fencing tokens. The thread that holds the write lock may read
-- as well. Otherwise, a reader that waits enters the queue or keeps its place there.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] the reader's field
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the reader's place counts as alive; 0 for a reader that does not wait. lib/queue.lua explains its fraction
-- ARGV[5] the field under which the requesting thread holds the write lock, else empty
-- ARGV[6] 1 if waiting writers go first
-- ARGV[7] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns the first token if the lock is granted now; {1, first token, ms left} if the reader had it already; or {0, ms after which to ask again,
--         holder, -1, flags} if it is refused. flags is 1 near the head of the queue, plus 4 if the slot is closed

local grace = ARGV[7]
local side = 'read'

--#include rw-acquire

local writer = ARGV[5]
local nested = mode == 'write' and writer ~= '' and redis.call('hexists', lock, writer) == 1
  and left_of_hold(hold_key(lock, writer, 1)) >= 0
local dead = {}
if mode == 'write' and not nested then
  for field, count in pairs(fields_of(lock)) do
    if is_writer(field) then
      local ms = left_of_holder(lock, field, count, left_of_hold)
      if ms ~= -2 then
        return refused(ms, field)
      end
      dead[#dead + 1] = field
    end
  end
end
if ARGV[6] == '1' and not nested then
  local first, ms = first_ahead()
  if first and (first == TURN_END or is_writer(first)) then
    return refused(ms, '')
  end
end

local token = write_hold()
for _, field in ipairs(dead) do
  redis.call('hdel', lock, field)
end
redis.call('hset', lock, 'mode', nested and 'write' or 'read', owner, 1)
local ended = remaining < ttl and redis.pcall('pexpire', lock, ARGV[3])
if type(ended) == 'table' then
  -- Removes the hold, because the lock must not be left without an end.
  redis.pcall('del', hold)
  redis.pcall('hdel', lock, owner)
  if remaining == -2 then
    redis.pcall('del', lock)
  end
  return ended
end
if lifetime > 0 then
  leave(queue, owner)
end
return token
