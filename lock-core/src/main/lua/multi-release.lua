-- Frees those of several plain locks that the owner has, and grants each of them to the next place in its queue. With a minimum hold, keeps the locks
-- taken instead. If the owner does not have a lock, its place leaves the queue.
--
-- KEYS[i] the locks (hashes); behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] how many ms the locks stay taken; 0 to free them now
-- ARGV[4] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns how many of Redisson's clients received the message for one of the locks, -1 if a right to notify others is missing; -2 if the owner did
--         not have all locks
--
-- A server without memory allows the first write, and then all later commands. A lock that is gone or was overwritten does not prevent the release of
-- the others.

--#include common
--#include keys
--#include redisson-turn
--#include grant-next
--#include after-release
--#include keep-taken
--#include reign

local owner = ARGV[1]
local keep = whole(ARGV[3], 0, LONGEST_LEASE)
if not keep then
  return out_of_bounds()
end
local locks, token_key = locks_and_token_key(KEYS)
local closed = ARGV[4] and closed_for(term_of(token_key, ARGV[4]), 0)
local all = true
local most = 0
for _, lock in ipairs(locks) do
  local queue = queue_of(lock, token_key)
  queue.seen = ARGV[2]
  queue.closed = closed
  if redis.pcall('hexists', lock, owner) ~= 1 then
    all = false
    if after_release(leave, queue, owner) and redis.call('pttl', lock) == -2 then
      after_release(grant_next, queue)
    end
  else
    if keep > 0 then
      keep_taken(lock, owner, ARGV[3])
    else
      redis.call('del', lock)
    end
    local received = publish(queue.cluster, queue.channel, '0')
    most = (most < 0 or received < 0) and -1 or math.max(most, received)
    -- Tells waiters to ask if the lock stays taken or is left to Redisson's clients.
    queue.notify_only = keep > 0 or (received > 0 and after_release(leave_to_redisson, queue))
    after_release(grant_next, queue)
  end
end
-- While the slot is closed, nobody else can have the locks that Redis has lost.
return all and most or closed and 0 or -2
