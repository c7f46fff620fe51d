-- Makes every number drawn later in this slot greater than a given number, unless that number is far ahead of the server's clock.
--
-- KEYS[1] the last number drawn in this slot (string)
-- ARGV[1] the number
-- ARGV[2] how many microseconds it may be ahead of the server's clock
-- returns 1; or {0, how many whole seconds the number is ahead}, and then nothing is changed

--#include common
--#include clock

local number = whole(ARGV[1], 0, 9007199254740992)
local allowed = tonumber(ARGV[2])
if not number or not allowed or allowed > 86400000000 then
  return out_of_bounds()
end
local ahead = number - server_micros()
if ahead > allowed then
  return {0, math.floor(ahead / 1000000)}
end
if (tonumber(redis.call('get', KEYS[1]) or '0') or 0) < number then
  redis.call('set', KEYS[1], ARGV[1])
end
return 1
