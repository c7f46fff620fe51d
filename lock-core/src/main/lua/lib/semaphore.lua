-- Counts the held permits of a semaphore, and grants free permits.

--#include permits
--#include is-owner
--#include grant-next
--#include semaphore-fields

-- Returns the number of held permits. Removes permits that have ended. Cuts permits that end later than their leases allow, because the server's
-- clock was set back. Visits the permits only if a permit may have ended or may have to be cut.
local function held_permits(key, now)
  local fields = redis.call('hlen', key)
  if fields == 0 then
    return 0
  end
  local known = redis.call('hmget', key, 'holdfast:end', 'holdfast:longest')
  local first = tonumber(known[1] or '')
  local longest = tonumber(known[2] or '')
  if first and longest and first > now and first <= now + longest then
    return fields - NOT_OWNERS
  end
  local all = redis.call('hgetall', key)
  local living = 0
  local last = now
  first = nil
  longest = 0
  for i = 1, #all, 2 do
    if is_owner(all[i]) then
      local ends, lease, token = permit(all[i + 1])
      if not ends or ends <= now then
        redis.call('hdel', key, all[i])
      else
        if ends > now + lease then
          ends = now + lease
          redis.call('hset', key, all[i], decimal(ends) .. ':' .. decimal(lease) .. ':' .. token)
        end
        living = living + 1
        first = math.min(first or ends, ends)
        last = math.max(last, ends)
        longest = math.max(longest, lease)
      end
    end
  end
  if living == 0 then
    redis.call('del', key)
  else
    redis.call('pexpire', key, decimal(last - now))
    redis.call('hset', key, 'holdfast:end', decimal(first), 'holdfast:longest', decimal(longest))
    -- Sets the end again: see "Ends come last" in the wire contract.
    redis.call('pexpire', key, decimal(last - now))
  end
  return living
end

-- Grants free permits to the first places whose clients learn of the grant, as long as fewer permits are held than the place allows. Returns the
-- number of held permits, the place that blocks those behind it or nil, and whether there are more places than one script can visit.
local function grant_permits(queue, kind, now)
  local held = held_permits(queue.lock, now)
  queue.fits = function(place)
    return held < (permits_of(place) or 0)
  end
  queue.hold = function(place, lease, token)
    write_permit(queue.lock, kind, place, now, lease, lease, token)
    held = held + 1
  end
  local _, blocker, more = grant_next(queue)
  return held, blocker, more
end
