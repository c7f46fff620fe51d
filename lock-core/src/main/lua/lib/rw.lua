-- The queue of a read/write lock. A release does not grant such a lock; it tells places to ask.

--#include walk
--#include writer
--#include holds

-- How many ms a place that was told to ask excludes others from a lock that is free for it.
local TURN = 1000

-- The largest number of places that notify_next reads, dead and skipped ones included. All readers of a client share one place.
local MOST_NOTIFIED = 1000

local function rw_queue_of(lock, token_key)
  local queue = queue_of(lock, token_key)
  queue.channel = 'redisson_rwlock:' .. tagged(lock)
  return queue
end

-- Notifies the places whose turn it is, so that their clients ask. If the lock is free and a writer is first, this is the writer. Otherwise, these
-- are all readers up to the first writer. Returns whether a writer was notified. An asker is a writer behind other places.
local function notify_next(queue, free)
  local now = server_millis()
  local readers = false
  local writer_notified = false
  queue.most = MOST_NOTIFIED
  walk(queue, function(one)
    local writer = is_writer(one.place)
    if writer and (readers or not free) then
      return true
    end
    if one.left > TURN then
      set_deadline(queue, one.place, now + TURN + (one.left % 1 > 0 and 0.75 or 0))
    end
    publish(queue.cluster, one.channel, owner_of(one.place))
    readers = not writer
    writer_notified = writer
    return writer
  end)
  return writer_notified
end
