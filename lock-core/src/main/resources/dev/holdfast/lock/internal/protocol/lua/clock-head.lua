-- The server's clock.

-- In ms of the epoch.
local function server_millis()
  local time = redis.call('time')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

