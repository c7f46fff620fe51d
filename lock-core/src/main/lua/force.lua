-- Frees a lock, no matter who holds it. A plain or fair lock is granted to the next place in its queue. A semaphore is granted to as many places as
-- it has permits for. For a read/write lock, the places whose turn it is are told to ask.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- returns 1 if the lock was held, 0 if it was free

--#include rw
--#include semaphore

local lock = KEYS[1]
if redis.call('hlen', lock) == 0 then
  return 0
end
local known = redis.call('hmget', lock, 'mode', 'holdfast:kind')
local kind = known[2]
local queue = known[1] and rw_queue_of(lock, KEYS[2]) or queue_of(lock, KEYS[2])
queue.seen = 0
queue.fair = kind == 'fair' or kind == 'fair-semaphore'
if known[1] then
  local fields = redis.call('hgetall', lock)
  for i = 1, #fields, 2 do
    for number = holds_of(fields[i + 1]), 1, -1 do
      redis.call('del', hold_key(lock, fields[i], number))
    end
  end
end
redis.call('del', lock)
-- The message for a read/write lock allows all readers to enter.
publish(queue.cluster, queue.channel, known[1] and '1' or '0')
if known[1] then
  after_release(notify_next, queue, true)
elseif is_semaphore(kind) then
  after_release(grant_permits, queue, kind, server_millis())
else
  after_release(grant_next, queue)
end
return 1
