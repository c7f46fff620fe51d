-- Grants a free lock to the next place in its queue.

--#include walk
--#include token

-- Writes the hold or the permit of a place, and notifies its client.
local function grant(queue, one)
  local lease = first_lease_of(one.place)
  local token = decimal(draw(queue.token, queue.seen))
  if queue.hold then
    queue.hold(one.place, tonumber(lease), token)
  else
    redis.call('hset', queue.lock, one.place, '1', 'holdfast:token', token, 'holdfast:lease', lease, 'holdfast:granted', '1')
    if queue.fair then
      redis.call('hset', queue.lock, 'holdfast:kind', 'fair')
    end
    redis.call('pexpire', queue.lock, lease)
  end
  publish(queue.cluster, one.channel, one.place .. ' ' .. token)
  leave(queue, one.place)
  one.removed = true
end

-- Lets a later script continue behind the places that this script has visited. Tells the client of the last place to ask, because this place is the
-- most likely to be alive.
local function go_on(queue)
  local last = redis.call('lrange', queue.places, -1, -1)[1]
  if last and last ~= queue.asker and not is_redisson(last) then
    publish(queue.cluster, queue.wake .. client_of(last), last)
  end
end

-- Grants a free lock to the first place whose client learns of the grant, or tells that client to ask if the lock cannot be granted to it.
-- After a client that is told to ask, the next one is told, too, unless the queue is fair or queue.notify_only is set.
--
-- queue.fair         whether nobody may skip the first place
-- queue.seen         highest number drawn that the client has seen
-- queue.asker        the owner that requests the lock, if any. It gets the answer of the script instead of a message
-- queue.notify_only  whether to grant nothing and only tell places to ask
-- queue.fits         for a semaphore: returns whether a place may have a permit. A place that may not blocks those behind it
-- queue.closed       whether the slot is closed, so that nothing is granted and nobody is told to ask
-- queue.hold         for a semaphore: writes a permit. More permits may then be granted to later places
-- returns whether a lock was granted; the place that blocks those behind it, or nil; and whether the queue has more places than one script can visit,
--         so that the blocking place is not known and the first one stands for it
local function grant_next(queue)
  if queue.closed then
    return false, nil, false
  end
  local granted = false
  local notified = nil
  local stopped, more = walk(queue, function(one)
    if one.place == queue.asker or (queue.fits and not queue.fits(one.place)) then
      return true
    elseif not one.channel then
      publish(queue.cluster, queue.channel .. ':' .. one.place, '0')
      return true
    elseif one.certain and not notified and not queue.notify_only and first_lease_of(one.place) ~= '0' then
      grant(queue, one)
      granted = not queue.hold
      return granted
    elseif publish(queue.cluster, one.channel, one.place) ~= 0 or one.certain then
      -- The client may be refused because it also needs other locks. So unless the queue is fair, the next place is told to ask, too.
      local enough = notified or queue.notify_only or queue.fair
      notified = notified or one.place
      return enough
    end
  end)
  local blocker = notified or (stopped and stopped.place)
  if more and not blocker then
    go_on(queue)
    -- The next place is not known. Waiters for a fair lock wait for its first place.
    return false, queue.fair and redis.call('lrange', queue.places, 0, 0)[1] or nil, true
  end
  return granted, blocker, false
end

-- Returns how many ms an owner that was refused because of a place must wait: until the place's deadline, or until the place counts as dead.
local function ms_until_passed(queue, place, more)
  local deadline = deadline_of(queue, place) or 0
  return math.max(1, math.floor(deadline - server_millis() - (more and GONE or 0)))
end
