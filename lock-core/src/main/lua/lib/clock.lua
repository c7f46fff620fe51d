-- The server's clock, and the numbers that are drawn from it for fencing tokens. A script reads the clock only once, so that all its commands see the
-- same time.

local clock = nil

-- Returns the time in µs since the epoch.
local function server_micros()
  if not clock then
    --#include time
  end
  return tonumber(clock)
end

-- Returns the time in ms since the epoch.
local function server_millis()
  return math.floor(server_micros() / 1000)
end

-- The last number that this script has drawn.
local drawn_here = 0

-- Draws a number, and returns its first token.
local function draw(token_key, seen)
  server_micros()
  seen = math.max(tonumber(seen) or 0, drawn_here)
  --#include draw
  drawn_here = drawn
  return token
end

-- Returns the last number that was drawn in the slot.
local function last_drawn(token_key)
  return tonumber(redis.call('get', token_key) or '0') or 0
end
