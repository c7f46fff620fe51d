-- Reads the server's clock. A part of a block that has the local clock: the time in µs since the epoch, as text. To make a text of the two texts costs
-- less than to make a number.
local time = redis.call('time')
clock = #time[2] == 6 and time[1] .. time[2] or time[1] .. string.sub('00000' .. time[2], -6)
