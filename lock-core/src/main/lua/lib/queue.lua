-- The queue of a lock: the places of its waiters in the order of arrival, and a deadline for each place. A place is the owner id of its next grant.
--
-- The fraction of a deadline says that no messages reached the client when it asked. For some ms from then on, a release may nevertheless grant the
-- lock to the place, because the client asks again in that time and finds the grant.
--
-- 0.5   the client is about to subscribe, cannot subscribe, or its connection for messages is down; it asks at least every 500 ms
-- 0.75  like 0.5, for a place that was told to ask; valid until the place's deadline

--#include tagged

local NOT_LISTENING = {[0.5] = 1000, [0.75] = 5000}

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
    redis.call('lrem', queue.places, '1', place)
  end
  return was == 1
end

local function deadline_of(queue, place)
  return tonumber(redis.call('zscore', queue.deadlines, place) or '')
end

local function set_deadline(queue, place, deadline)
  return redis.call('zadd', queue.deadlines, string.format('%.2f', deadline), place)
end
