-- The fencing numbers of a slot.
--
-- Begins with clock-head.lua.

-- The last number that this script has drawn.
local drawn_here = 0

-- Draws the next number, greater than any that the client has seen, and answers the first of its 1,024 tokens.
local function draw(key, seen)
  local drawn = math.max(server_micros(), (tonumber(seen) or 0) + 1, drawn_here + 1)
  -- Redis writes a whole number below 2^53 with all its digits. The last number is nearly always behind the clock.
  local last = tonumber(redis.call('getset', key, drawn) or '0') or 0
  if last >= drawn then
    drawn = last + 1
    -- By the same command: a missing right must not show only when the clock was set back.
    redis.call('getset', key, drawn)
  end
  drawn_here = drawn
  -- Exact: a number below 2^53 times a power of two.
  return drawn * 1024
end

