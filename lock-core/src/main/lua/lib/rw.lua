-- The queue of a read/write lock. No release grants such a lock: places are told to ask.

--#include walk
--#include holds

-- How many ms a place that was told to ask keeps others from a lock that is free for it.
local TURN = 1000

-- How many places one script tells to ask. All readers of a client have one place.
local MOST_NOTIFIED = 1000

local function rw_queue_of(lock, token_key)
  local queue = queue_of(lock, token_key)
  queue.channel = 'redisson_rwlock:' .. tagged(lock)
  return queue
end

-- Tells those whose turn it is to ask: if the lock is free and a writer is first, that writer; else all readers up to the first writer. Returns
-- whether a writer was told.
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
