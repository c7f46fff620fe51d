-- The server's clock, and the numbers that are drawn from it for fencing tokens. A script reads the clock only once, so that all its commands see the
-- same time.

local clock = nil

-- Returns the time in µs since the epoch.
local function server_micros()
  if not clock then
    local time = redis.call('time')
    clock = time[1] * 1000000 + time[2]
  end
  return clock
end

-- Returns the time in ms since the epoch.
local function server_millis()
  return math.floor(server_micros() / 1000)
end

-- The number of tokens for each drawn number.
local TOKENS = 1024

-- The last number that this script has drawn.
local drawn_here = 0

-- Draws a number that is greater than both the last number drawn in the slot and every number that the client has seen. Returns the first token of
-- the drawn number.
local function draw(token_key, seen)
  local drawn = math.max(server_micros(), (tonumber(seen) or 0) + 1, drawn_here + 1)
  -- Redis writes all digits of a whole number below 2^53. The last number drawn is nearly always behind the clock.
  local last = tonumber(redis.call('getset', token_key, drawn) or '0') or 0
  if last >= drawn then
    drawn = last + 1
    -- Uses GETSET again instead of SET. So a missing right shows at once, and not only after the clock was set back.
    redis.call('getset', token_key, drawn)
  end
  drawn_here = drawn
  -- The product is exact, because it is a number below 2^53 times a power of two.
  return drawn * TOKENS
end

-- Returns the last number that was drawn in the slot.
local function last_drawn(token_key)
  return tonumber(redis.call('get', token_key) or '0') or 0
end
