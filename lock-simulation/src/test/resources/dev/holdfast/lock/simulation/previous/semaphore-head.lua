-- Who holds a semaphore's permits, and who gets those that are free.
--
-- Begins with permit-head.lua.
-- Begins with line-head.lua.

-- The fields of a semaphore that are not owners.
local NOT_OWNERS = 3

-- How many permits are held. Removes those that have ended, and shortens those that end later than their leases do: the server's clock was set
-- back. Visits them only when one may have ended, or the clock was set back.
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
  local living = {}
  local last = now
  first = nil
  longest = 0
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 9) ~= 'holdfast:' then
      local ends, lease, token = permit(all[i + 1])
      if not ends or ends <= now then
        redis.call('hdel', key, all[i])
      else
        if ends > now + lease then
          ends = now + lease
          redis.call('hset', key, all[i], decimal(ends) .. ':' .. decimal(lease) .. ':' .. token)
        end
        living[#living + 1] = all[i]
        first = math.min(first or ends, ends)
        last = math.max(last, ends)
        longest = math.max(longest, lease)
      end
    end
  end
  if #living == 0 then
    redis.call('del', key)
  else
    redis.call('pexpire', key, decimal(last - now))
    redis.call('hset', key, 'holdfast:end', decimal(first), 'holdfast:longest', decimal(longest))
    -- Again: see "Ends come last" in docs/protocol.md.
    redis.call('pexpire', key, decimal(last - now))
  end
  return #living
end

-- Grants free permits to the first places in the line whose clients learn of it, to each as long as fewer are held than there are for it.
--
-- returns how many are held then, and what serve answered
local function serve_permits(line, to, kind, now)
  local held = held_permits(line.lock, now)
  to.fits = function(place)
    return held < (permits_of(place) or 0)
  end
  to.hold = function(place, lease, token)
    write_permit(line.lock, kind, place, now, lease, lease, token)
    held = held + 1
  end
  local next, goes_on = serve(line, to)
  return held, next, goes_on
end

