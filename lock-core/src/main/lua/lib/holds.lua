-- The holds of a read/write lock. Each field of its hash has keys of its own, its holds, which end with their leases.

--#include common
--#include owner
--#include writer
--#include hold-key

-- The largest number of a holder's holds that one script visits. No thread enters a lock of Redisson more often, so a greater count comes from
-- another program.
local MOST_HOLDS = 1000

local function holds_of(count)
  return math.min(tonumber(count) or 0, MOST_HOLDS)
end

-- Returns how many ms a holder still has the lock, or -2 if all its holds have ended. The given function returns how many ms are left of one hold.
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
