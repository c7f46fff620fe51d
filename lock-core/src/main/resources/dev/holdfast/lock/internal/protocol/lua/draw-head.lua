-- The fencing numbers of a slot.

-- Draws the next number, greater than any that the client has seen, and answers the first of its 1,024 tokens.
local function draw(key, seen)
  local time = redis.call('time')
  local drawn = math.max(time[1] * 1000000 + time[2], (tonumber(seen) or 0) + 1)
  -- Redis writes a whole number below 2^53 with all its digits. The last number is nearly always behind the clock.
  local last = tonumber(redis.call('getset', key, drawn) or '0') or 0
  if last >= drawn then
    drawn = last + 1
    -- By the same command: a missing right must not show only when the clock was set back.
    redis.call('getset', key, drawn)
  end
  -- Exact: a number below 2^53 times a power of two.
  return drawn * 1024
end

