-- The turns of Redisson's clients, which take a lock only if they find it free. After every fourth release that they receive, no waiter of this
-- library takes the lock for a few ms.

--#include queue
--#include decimal
--#include clock

local RELEASES_FOR_ONE_TURN = 4

-- The length of a turn in ms.
local TURN_LENGTH = 5

-- The member of the queue's deadlines that holds the end of a turn. It is not a place.
local TURN_END = 'redisson'

-- Counts a release that Redisson's clients have received. Returns whether the free lock is left to them.
local function leave_to_redisson(queue)
  local counter = queue.deadlines .. ':turns'
  local releases = (tonumber(redis.call('get', counter) or '0') or 0) + 1
  if releases < RELEASES_FOR_ONE_TURN then
    -- A missing right must not fail a release that has already freed the lock.
    redis.pcall('set', counter, releases, 'px', OUTLIVES)
    return false
  end
  redis.call('del', counter)
  redis.call('zadd', queue.deadlines, decimal(server_millis() + TURN_LENGTH), TURN_END)
  if redis.call('pttl', queue.deadlines) == -1 then
    redis.call('pexpire', queue.deadlines, TURN_LENGTH)
  end
  return true
end

-- Returns how many more ms a free lock is left to Redisson's clients, or nil if it is not left to them.
local function left_to_redisson(queue)
  local ends = deadline_of(queue, TURN_END)
  local ms = ends and ends - server_millis()
  -- More time than one turn can only be left if the server's clock was set back.
  if ms and ms > 0 and ms <= TURN_LENGTH then
    return ms
  elseif ms then
    redis.call('zrem', queue.deadlines, TURN_END)
  end
  return nil
end
