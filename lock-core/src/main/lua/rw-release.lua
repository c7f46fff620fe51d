-- Ends the hold of a reader or a writer. With a minimum hold, still excludes the other side for the rest of it. A writer that also reads continues as
-- a reader. If the owner has no hold, its place leaves the queue. The places whose turn it is are told to ask if the lock is free for them, or will
-- be free earlier than they know.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] the holder's field
-- ARGV[2] how many ms the lock stays taken; 0 to free it now
-- ARGV[3] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns how many clients received the message for Redisson's clients, -1 if a right to notify others is missing; -2 if the hold had ended
--
-- A server without memory allows the first write, and then all later commands. For more than 64 readers, the cost does not depend on their number.

-- The message that counts Redisson's clients. They receive it and do nothing. So a writer of this library that is told to ask comes before they are
-- woken. Otherwise, it would hardly ever get the lock, because a writer's release wakes all threads of Redisson, but only one place here.
local COUNT = '2'

local lock = KEYS[1]
local field = ARGV[1]
--#include name
local hold = name .. ':' .. field .. ':rwlock_timeout:1'
local known = redis.call('hmget', lock, 'mode', field)
local mode = known[1]
-- How many clients received the message of a holder that was the only one; nil if the message has not been sent.
local notified = nil
if mode and known[2] and ARGV[2] == '0' and redis.call('hlen', lock) == 2 and redis.call('exists', hold) == 1
    and redis.call('exists', 'redisson_lock_timeout:' .. name, 'redisson_lock_queue:' .. name) == 0 then
  redis.call('del', lock, hold)
  notified = redis.pcall(KEYS[2] and 'spublish' or 'publish', 'redisson_rwlock:' .. name, COUNT)
  if notified == 0 then
    return 0
  end
end

-- The script usually ends here. The rest is for a lock that has other holders or a queue, or that stays taken, and for messages that somebody received.

--#include rw
--#include after-release
--#include redisson-turn
--#include reign

local keep = whole(ARGV[2], 0, LONGEST_LEASE)
if not keep then
  return out_of_bounds()
end
local queue = rw_queue_of(lock, KEYS[2])
local held = notified or redis.call('pttl', hold) ~= -2

-- Returns the answer for a hold that is not there. While the slot is closed, nobody else can have the hold that Redis has lost.
local function missing()
  return ARGV[3] and closed_for(term_of(KEYS[2], ARGV[3]), 0) and 0 or -2
end

if not (mode and known[2]) then
  if held then
    redis.call('del', hold)
  end
  if leave(queue, field) and mode ~= 'write' then
    notify_next(queue, not mode)
  end
  return missing()
end
local kept = held and keep > 0
local text = kept and redis.call('get', hold)
redis.call('hdel', lock, field)
redis.call('del', hold)
if kept then
  local owner = kept_owner(field)
  redis.call('hset', lock, owner, 1)
  redis.call('set', hold_key(lock, owner, 1), ARGV[2] .. (string.match(text, ':%d+$') or ':0'), 'px', ARGV[2])
end

-- Visits the remaining holders, and removes the dead ones. Returns how many ms are left of the holder that ends last, or a negative number if no
-- holder is alive; whether a holder writes; whether a holder uses this library; and whether some holders were not visited, because one living reader
-- is enough if there are many.
local function holders_left()
  local longest = -2
  local writes = false
  local ours = false
  local seen = 0
  local cursor = '0'
  repeat
    local found = redis.call('hscan', lock, cursor, 'count', 16)
    local page = found[2]
    cursor = found[1]
    for i = 1, #page, 2 do
      if page[i] ~= 'mode' then
        local ms = left_of_holder(lock, page[i], page[i + 1], function(key)
          return redis.call('pttl', key)
        end)
        if ms >= 0 then
          longest = math.max(longest, ms)
          writes = writes or is_writer(page[i])
          ours = ours or not is_redisson(page[i])
        else
          redis.call('hdel', lock, page[i])
        end
      end
    end
    seen = seen + #page / 2
    if mode == 'read' and not kept and longest >= 0 and seen >= MOST_SEEN and cursor ~= '0' then
      return longest, writes, ours, true
    end
  until cursor == '0'
  return longest, writes, ours, false
end

local longest, writes, ours, partly = holders_left()
local free = longest < 0
-- After a reader, one woken writer is enough. After a writer, all waiters are woken.
local message = nil
if free then
  redis.call('del', lock)
  message = mode == 'write' and '1' or '0'
elseif not partly then
  local before = redis.call('pttl', lock)
  redis.call('pexpire', lock, longest)
  if mode == 'write' and not writes then
    redis.call('hset', lock, 'mode', 'read')
    -- Sets the end again: see "Ends come last" in the wire contract.
    redis.call('pexpire', lock, longest)
    message = '1'
  elseif kept and longest < before then
    -- The lock ends earlier than its waiters know. Their next request returns the new time.
    message = mode == 'write' and '1' or '0'
  elseif not ours then
    -- Only Redisson's readers are left. The next place in the queue is told to ask, so that its client learns of these readers and subscribes to
    -- their channel.
    after_release(notify_next, queue, true)
  end
end
local received = 0
if message then
  received = type(notified) == 'number' and notified or publish(queue.cluster, queue.channel, free and COUNT or message)
  local turn = free and received > 0 and after_release(leave_to_redisson, queue)
  local writer_notified = after_release(notify_next, queue, free or kept)
  if free and received > 0 and (turn or not writer_notified) then
    publish(queue.cluster, queue.channel, message)
  end
  received = cannot_know and -1 or received
end
return held and received or missing()
