-- Enters places into the queue.

--#include queue
--#include decimal

-- Adds a place to the list unless the list contains it. After an addition, removes up to two dead places. Returns whether the place is near the head,
-- and whether it is new.
local function enter_list(queue, place, now, has_deadline)
  local first = has_deadline and redis.call('lrange', queue.places, '0', NEAR - 1) or {}
  if #first == 0 then
    local near = redis.call('rpush', queue.places, place) <= NEAR
    for _, dead in ipairs(redis.call('zrange', queue.deadlines, '-inf', now, 'byscore', 'limit', '0', '2')) do
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
