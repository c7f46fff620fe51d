-- The server's clock. A script reads it only once, so that all its commands see the same time.

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
