-- The deadlines in the queue of a fair lock beside Redisson's clients.

--#include owner

-- When a Redisson client takes the lock or gives up, it lowers all deadlines behind its own place by this time in ms.
local REDISSON_STEP = 300000

-- The number of places from the head that are searched for Redisson's clients.
local SEARCHED = 64

-- A deadline that is more than this many ms away shows that Redisson's clients wait. A client of this library that waits for 100,000 locks has a
-- deadline of 40 s.
local FAR = 60000

-- Returns the deadline for the owner's place, and the farthest deadline in the queue. The owner's deadline is one step later for
-- each Redisson client ahead, so that these clients do not lower it into the past. Also cuts deadlines that became too late when Redisson's clients
-- left the queue, so that no dead place keeps such a deadline.
local function deadline_of_owner(queue, now)
  local deadline = now + lifetime
  local farthest = tonumber(redis.call('zrange', queue.deadlines, -1, -1, 'withscores')[2]) or 0
  local far = farthest > now + FAR
  local places = redis.call('lrange', queue.places, 0, SEARCHED - 1)
  for _, place in ipairs(places) do
    if place == owner then
      return deadline, farthest
    elseif is_redisson(place) then
      deadline = deadline + REDISSON_STEP
    elseif far then
      local present = deadline_of(queue, place) or 0
      if present > deadline + FAR then
        set_deadline(queue, place, math.floor(deadline) + present % 1)
      end
    end
  end
  if far and #places == SEARCHED then
    -- If the queue is longer, its farthest deadline accounts for the Redisson clients that were not counted.
    deadline = math.max(deadline, math.floor(farthest) + lifetime % 1)
  end
  return deadline, farthest
end
