-- Frees a plain or fair lock if the owner has it, and grants it to the next place in its queue. With a minimum hold, keeps the lock taken instead. If
-- the owner does not have the lock, its place leaves the queue.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] how many ms the lock stays taken; left out, or 0, to free it now
-- ARGV[4] kind: left out or empty for a plain lock, or fair
-- ARGV[5] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns how many of Redisson's clients received the message, -1 if a right to notify others is missing; -2 if the owner did not have the lock
--
-- A server without memory allows the first write, and then all later commands.

-- Locals cost less than globals.
local redis, KEYS, ARGV = redis, KEYS, ARGV

local lock = KEYS[1]
local owner = ARGV[1]
local kind = ARGV[4] or ''
-- How many of Redisson's clients received the message that the lock is free; nil if the message has not been sent.
local notified = nil
local known = redis.call('hmget', lock, owner, 'holdfast:granted', 'holdfast:line')
if known[1] and (ARGV[3] or '0') == '0' then
  if kind == '' and not known[2] and not known[3] then
    redis.call('del', lock)
    -- The name as in lib/name.lua, but in one text, because each text costs time.
    local channel = string.find(lock, '{', 1, true) and 'redisson_lock__channel:' .. lock or 'redisson_lock__channel:{' .. lock .. '}'
    notified = redis.pcall(KEYS[2] and 'spublish' or 'publish', channel, '0')
    if notified ~= 0 and type(notified) == 'table' then
      --#include common
      notified = publish(KEYS[2] ~= nil, channel, '0')
    end
    if notified <= 0 then
      return notified
    end
  elseif kind == 'fair' then
    --#include name
    if redis.call('pttl', 'redisson_lock_queue:' .. name) == -2 then
      redis.call('del', lock)
      return 0
    end
  end
end

-- The script usually ends here. The rest is for a lock that may have waiters, or that stays taken.

--#include common
--#include grant-next
--#include after-release

local keep = whole(ARGV[3] or 0, 0, LONGEST_LEASE)
if not keep then
  return out_of_bounds()
end
local queue = queue_of(lock, KEYS[2])
queue.fair = kind == 'fair'
queue.seen = ARGV[2]
if ARGV[5] then
  --#include reign
  queue.closed = closed_for(term_of(KEYS[2], ARGV[5]), 0)
end
if not known[1] then
  if leave(queue, owner) and redis.call('pttl', lock) == -2 then
    grant_next(queue)
  end
  -- While the slot is closed, nobody else can have the lock that Redis has lost.
  return queue.closed and 0 or -2
end
if keep > 0 then
  --#include keep-taken
  keep_taken(lock, owner, ARGV[3])
  -- Tells the first place to ask, so that it learns how long the lock stays taken.
  queue.notify_only = true
elseif not notified then
  redis.call('del', lock)
end
local received = 0
if not queue.fair then
  received = notified or publish(queue.cluster, queue.channel, '0')
  if received > 0 and keep == 0 then
    --#include redisson-turn
    -- Tells the first place to ask, because its turn comes after the turn of Redisson's clients.
    queue.notify_only = after_release(leave_to_redisson, queue)
  end
end
after_release(grant_next, queue)
return cannot_know and -1 or received
