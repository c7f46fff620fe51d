-- The server's clock. A script reads it once: it is for all commands of the script the same moment.

local clock = nil

-- In µs of the epoch.
local function server_micros()
  if not clock then
    local time = redis.call('time')
    clock = time[1] * 1000000 + time[2]
  end
  return clock
end

-- In ms of the epoch.
local function server_millis()
  return math.floor(server_micros() / 1000)
end

