-- The holds of a read/write lock: for each field of the hash keys of their own, which end with their leases.

--#include common
--#include owner

-- How many holds of a holder one script looks at. No thread enters a lock of Redisson more often, so a greater count is another program's.
local MOST_HOLDS = 1000

local function hold_key(lock, field, number)
  return tagged(lock) .. ':' .. field .. ':rwlock_timeout:' .. number
end

local function holds_of(count)
  return math.min(tonumber(count) or 0, MOST_HOLDS)
end

-- For how many ms a holder has the lock, -2 if all its holds are over. A function says how many ms a hold has left.
local function left_of_holder(lock, field, count, left_of_hold)
  if is_foreign_writer(field) then
    return redis.call('pttl', lock)
  end
  local longest = -2
  for number = holds_of(count), 1, -1 do
    longest = math.max(longest, left_of_hold(hold_key(lock, field, number)))
  end
  return longest
end
