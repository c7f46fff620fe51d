-- Ends a permit, and grants free permits to the next places in the queue. With a minimum hold, keeps the permit taken instead. If the owner has no
-- permit, its place leaves the queue.
--
-- KEYS[1] the semaphore (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] how many ms the permit stays taken; 0 to free it now
-- ARGV[4] kind: semaphore, or fair-semaphore
-- ARGV[5] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns 0 if the owner had the permit, -1 if it had the permit and a right to notify others is missing; -2 if it did not have the permit
--
-- A server without memory allows the first write, and then all later commands.

--#include semaphore-fields

local lock = KEYS[1]
local owner = ARGV[1]
local text = redis.call('hmget', lock, owner)[1]
--#include name
if text and ARGV[3] == '0' and redis.call('exists', 'redisson_lock_timeout:' .. name) == 0 then
  local ends = tonumber(string.match(text, '^(%d+):%d+:%d+$') or '')
  local clock
  --#include time
  if ends and ends > math.floor(tonumber(clock) / 1000) then
    if redis.call('hlen', lock) == NOT_OWNERS + 1 then
      redis.call('del', lock)
    else
      redis.call('hdel', lock, owner)
    end
    return 0
  end
end

-- The script usually ends here. The rest is for a semaphore that has a queue, and for a permit that stays taken or has ended.

--#include semaphore
--#include after-release
--#include writer
--#include reign

local keep = whole(ARGV[3], 0, LONGEST_LEASE)
local kind = ARGV[4]
if not (keep and is_semaphore(kind)) then
  return out_of_bounds()
end
local now = server_millis()
local queue = queue_of(lock, KEYS[2])
queue.fair = kind == 'fair-semaphore'
queue.seen = ARGV[2]
queue.closed = ARGV[5] and closed_for(term_of(KEYS[2], ARGV[5]), 0)
local ends, lease, token = permit(text)
local mine = ends and ends > now
if mine and keep > 0 then
  if redis.call('hlen', lock) == NOT_OWNERS + 1 then
    redis.call('pexpire', lock, keep)
  end
  redis.call('hdel', lock, owner)
  write_permit(lock, kind, kept_owner(owner), now, keep, math.max(lease, keep), token)
  -- Tells the first place to ask, so that it learns how long the permit stays taken.
  queue.notify_only = true
  after_release(grant_next, queue)
elseif ends then
  redis.call('hdel', lock, owner)
  if redis.call('hlen', lock) == NOT_OWNERS then
    redis.call('del', lock)
  end
  after_release(grant_permits, queue, kind, now)
elseif leave(queue, owner) then
  grant_permits(queue, kind, now)
end
-- While the slot is closed, nobody else can have the permit that Redis has lost.
return mine and (cannot_know and -1 or 0) or queue.closed and 0 or -2
