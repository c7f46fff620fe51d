-- Frees a lock, no matter who holds it. A plain or fair lock is granted to the next place in its queue. A semaphore is granted to as many places as
-- it has permits for. For a read/write lock, the places whose turn it is are told to ask.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- returns 1 if the lock was held, 0 if it was free. A hash that is not a lock of this library or of Redisson is refused

--#include rw
--#include semaphore
--#include after-release

-- Returns whether a field of a lock without notes is a holder: of this library in a read/write lock, or of Redisson, whose clients are UUIDs.
local function is_holder(field)
  return string.find(field, '^[^:]+:%d+:%d+') or string.find(owner_of(field), '^%w+%-%w+%-%w+%-%w+%-%w+:%d+$')
end

local lock = KEYS[1]
local size = redis.call('hlen', lock)
if size == 0 then
  return 0
end
local known = redis.call('hmget', lock, 'mode', 'holdfast:kind', 'holdfast:token')
local kind = known[2]
local is_rw = known[1] == 'read' or known[1] == 'write'
-- A plain or fair lock of Redisson has no other field than its holder.
local fields = (is_rw or size == 1) and redis.call('hgetall', lock) or {}
local is_lock = (kind or known[3]) and not known[1]
for i = 1, #fields, 2 do
  is_lock = is_lock or is_holder(fields[i])
end
if not is_lock then
  return redis.error_reply('WRONGTYPE holdfast: the key is a hash that is not a lock of Holdfast or Redisson')
end
local queue = is_rw and rw_queue_of(lock, KEYS[2]) or queue_of(lock, KEYS[2])
queue.seen = 0
queue.fair = kind == 'fair' or kind == 'fair-semaphore'
if is_rw then
  for i = 1, #fields, 2 do
    for number = holds_of(fields[i + 1]), 1, -1 do
      redis.call('del', hold_key(lock, fields[i], number))
    end
  end
end
redis.call('del', lock)
-- The message for a read/write lock allows all readers to enter.
publish(queue.cluster, queue.channel, is_rw and '1' or '0')
if is_rw then
  after_release(notify_next, queue, true)
elseif is_semaphore(kind) then
  after_release(grant_permits, queue, kind, server_millis())
else
  after_release(grant_next, queue)
end
return 1
