-- The queue of a lock: the places of those who wait for it in order of arrival, and a deadline for each. A place is the owner id of its next grant.
--
-- A deadline's fraction says that the client did not hear messages when it asked. For some ms from then on, a release grants to its place without a
-- listener, because the client asks again by then and finds the grant.
--
-- 0.25  its subscription is on its way
-- 0.5   it cannot subscribe, or its connection for messages is down: it asks at least every 500 ms
-- 0.75  the same for a place that was told to ask, until its deadline

--#include common
--#include owner

local NOT_LISTENING = {[0.25] = 200, [0.5] = 1000, [0.75] = 5000}

-- Only places with this lifetime in ms have a fraction.
local LIFETIME = 5000

-- How many places count as near the head. Their clients ask often.
local NEAR = 3

-- How many ms the keys of a queue outlive its last deadline: waiters of Redisson's fair lock come back after five minutes.
local OUTLIVES = 600000

-- The keys and channels of a lock. The key for the slot's numbers, 'holdfast:token:{n}', is there in a cluster only.
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

-- Removes a dead place, also where only one of the keys has it.
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

-- Whether a client that does not listen asks again soon.
local function asks_soon(deadline, now)
  local ms = NOT_LISTENING[deadline % 1]
  return ms and deadline - now > LIFETIME - ms
end

-- Adds a place to the list unless it is there, and then removes two dead ones. Returns whether it is near the head, and whether it is new.
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

-- Enters a place, or moves its deadline. The queue's keys outlive the farthest deadline. Returns 1 if the place is near the head, else 0, and whether
-- it is new.
local function enter(queue, place, now, deadline, farthest)
  local rest = decimal(farthest - now + OUTLIVES)
  local has_deadline = set_deadline(queue, place, deadline) == 0
  -- The end is set immediately, because what comes next may be refused, and no key may be left without an end.
  redis.call('pexpire', queue.deadlines, rest)
  local done, near, entered = pcall(enter_list, queue, place, now, has_deadline)
  if not done then
    -- Another program wrote something else under the list's key. A deadline without a place must not stay.
    redis.call('zrem', queue.deadlines, place)
    -- This fails again, with Redis' own message.
    enter_list(queue, place, now, has_deadline)
  end
  redis.call('pexpire', queue.places, rest)
  return near and 1 or 0, entered
end

-- Runs what a release does for the queue once the lock is free. If another program wrote something else under the queue's keys, nobody is notified,
-- and the release succeeds: an error would say that the lock is still held.
local function after_release(step, queue, second, third)
  local done, answer = pcall(step, queue, second, third)
  if not done and not string.find(answer.err or answer, 'WRONGTYPE') then
    error(answer, 0)
  end
  return done and answer
end

-- Keeps a lock for a minimum hold, under an owner that no client has.
local function keep_taken(lock, owner, keep)
  redis.call('pexpire', lock, keep)
  redis.call('hset', lock, kept_owner(owner), 1, 'holdfast:lease', keep)
  redis.call('hdel', lock, owner)
  -- Again: see "Ends come last" in docs/protocol.md.
  redis.call('pexpire', lock, keep)
end
