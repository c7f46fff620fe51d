-- The queue of a lock: the places of its waiters in the order of arrival, and a deadline for each place. A place is the owner id of its next grant.
--
-- The fraction of a deadline says that no messages reached the client when it asked. For some ms from then on, a release may nevertheless grant the
-- lock to the place, because the client asks again in that time and finds the grant.
--
-- 0.25  the client is about to subscribe
-- 0.5   the client cannot subscribe, or its connection for messages is down; it asks at least every 500 ms
-- 0.75  like 0.5, for a place that was told to ask; valid until the place's deadline

--#include common
--#include owner

local NOT_LISTENING = {[0.25] = 200, [0.5] = 1000, [0.75] = 5000}

-- The lifetime of a place, in ms, that can have a fraction. Other lifetimes have none.
local LIFETIME = 5000

-- The number of places that count as near the head. Their clients ask often.
local NEAR = 3

-- How many ms the keys of a queue outlive its last deadline. The keys must still exist when a waiter for Redisson's fair lock asks again, which may
-- take five minutes.
local OUTLIVES = 600000

-- Returns the keys and channels of a lock. The key of the slot's last number, 'holdfast:token:{n}', is only given in a cluster.
local function queue_of(lock, token_key)
  local name = tagged(lock)
  return {
    lock = lock,
    places = 'redisson_lock_queue:' .. name,
    deadlines = 'redisson_lock_timeout:' .. name,
    channel = 'redisson_lock__channel:' .. name,
    token = token_key or 'holdfast:token',
    wake = 'holdfast:wake' .. string.sub(token_key or '', 15) .. ':',
    cluster = token_key ~= nil
  }
end

-- Removes a place. Returns whether it was there.
local function leave(queue, place)
  local was = redis.call('zrem', queue.deadlines, place)
  if was == 1 then
    redis.call('lrem', queue.places, 1, place)
  end
  return was == 1
end

-- Removes a dead place, even if only one of the two keys contains it.
local function drop(queue, place)
  redis.call('zrem', queue.deadlines, place)
  redis.call('lrem', queue.places, 1, place)
end

local function deadline_of(queue, place)
  return tonumber(redis.call('zscore', queue.deadlines, place) or '')
end

local function set_deadline(queue, place, deadline)
  return redis.call('zadd', queue.deadlines, string.format('%.2f', deadline), place)
end

-- Returns whether the client of a place asks again soon, although no messages reach it.
local function asks_soon(deadline, now)
  local ms = NOT_LISTENING[deadline % 1]
  return ms and deadline - now > LIFETIME - ms
end

-- Adds a place to the list unless the list contains it. After an addition, removes up to two dead places. Returns whether the place is near the head,
-- and whether it is new.
local function enter_list(queue, place, now, has_deadline)
  local first = has_deadline and redis.call('lrange', queue.places, 0, NEAR - 1) or {}
  if #first == 0 then
    local near = redis.call('rpush', queue.places, place) <= NEAR
    for _, dead in ipairs(redis.call('zrange', queue.deadlines, '-inf', now, 'byscore', 'limit', 0, 2)) do
      leave(queue, dead)
    end
    return near, true
  end
  local near = #first < NEAR
  for _, ahead in ipairs(first) do
    near = near or ahead == place
  end
  return near, false
end

-- Enters a place, or moves its deadline. The keys of the queue outlive the farthest deadline. Returns 1 if the place is near the head, or 0 if not,
-- and whether the place is new.
local function enter(queue, place, now, deadline, farthest)
  local rest = decimal(farthest - now + OUTLIVES)
  local has_deadline = set_deadline(queue, place, deadline) == 0
  -- Sets the end of the key at once: Redis may refuse the following commands, and a key must not be left without an end.
  redis.call('pexpire', queue.deadlines, rest)
  local done, near, entered = pcall(enter_list, queue, place, now, has_deadline)
  if not done then
    -- Another program has overwritten the list's key. A deadline without a place must not be left.
    redis.call('zrem', queue.deadlines, place)
    -- This call fails again, and passes on the message of Redis.
    enter_list(queue, place, now, has_deadline)
  end
  redis.call('pexpire', queue.places, rest)
  return near and 1 or 0, entered
end

-- Runs the step of a release that serves the queue once the lock is free. If another program has overwritten the queue's keys, nobody is notified and
-- the release still succeeds, because an error would mean that the lock is still held.
local function after_release(step, queue, second, third)
  local done, answer = pcall(step, queue, second, third)
  if not done and not string.find(answer.err or answer, 'WRONGTYPE') then
    error(answer, 0)
  end
  return done and answer
end

-- Keeps a lock for a minimum hold, under an owner id that no client has.
local function keep_taken(lock, owner, keep)
  redis.call('pexpire', lock, keep)
  redis.call('hset', lock, kept_owner(owner), 1, 'holdfast:lease', keep)
  redis.call('hdel', lock, owner)
  -- Sets the end again: see "Ends come last" in the wire contract.
  redis.call('pexpire', lock, keep)
end
