-- Grants a free lock to the next in its queue.

--#include walk
--#include clock

-- Writes the hold, or the permit, of a place, and notifies its client.
local function grant(queue, one)
  local lease = first_lease_of(one.place)
  local token = decimal(draw(queue.token, queue.seen))
  if queue.hold then
    queue.hold(one.place, tonumber(lease), token)
  else
    redis.call('hset', queue.lock, one.place, 1, 'holdfast:token', token, 'holdfast:lease', lease, 'holdfast:granted', 1)
    if queue.fair then
      redis.call('hset', queue.lock, 'holdfast:kind', 'fair')
    end
    redis.call('pexpire', queue.lock, lease)
  end
  publish(queue.cluster, one.channel, one.place .. ' ' .. token)
  leave(queue, one.place)
  one.removed = true
end

-- Goes on behind the places that a script looks at: the client of the last place, which is the likeliest to live, is told to ask.
local function go_on(queue)
  local last = redis.call('lrange', queue.places, -1, -1)[1]
  if last and last ~= queue.asker and not is_redisson(last) then
    publish(queue.cluster, queue.wake .. client_of(last), last)
  end
end

-- Grants a free lock to the first place whose client learns of it, or notifies that client if it must ask for itself.
--
-- queue.fair         whether nobody may pass the first place
-- queue.seen         highest number drawn that the client has seen
-- queue.asker        the owner that asks for the lock, if one does: it is answered, and not granted by a message
-- queue.notify_only  whether to grant nothing
-- queue.fits         of a semaphore: whether a place may have a permit; one that may not blocks those behind it
-- queue.hold         of a semaphore: writes a permit; there may be more of them to grant
-- returns whether a lock was granted; else the place that blocks those behind it, or nil; and whether that place is only the first of more places
--         than one script looks at
local function grant_next(queue)
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
      -- The client may want other locks besides and be refused. So a plain lock's next place is notified, too.
      local enough = notified or queue.notify_only or queue.fair
      notified = notified or one.place
      return enough
    end
  end)
  local blocker = notified or (stopped and stopped.place)
  if more and not blocker then
    go_on(queue)
    -- Nobody knows who comes next: those who wait for a fair lock wait for its first place.
    return false, queue.fair and redis.call('lrange', queue.places, 0, 0)[1] or nil, true
  end
  return granted, blocker, false
end

-- How many ms those wait who are refused because of a place: until its deadline, or until it is gone.
local function ms_until_passed(queue, place, more)
  local deadline = deadline_of(queue, place) or 0
  return math.max(1, math.floor(deadline - server_millis() - (more and GONE or 0)))
end
