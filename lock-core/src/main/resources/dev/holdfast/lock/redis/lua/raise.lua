-- Sees to it that every number drawn later in this slot is greater than a given one.
--
-- KEYS[1] the last number drawn in this slot (string)
-- ARGV[1] the number
-- returns {1}

local number = tonumber(ARGV[1])
if not number or number % 1 ~= 0 or number < 0 or number > 9007199254740992 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
if (tonumber(redis.call('get', KEYS[1]) or '0') or 0) < number then
  redis.call('set', KEYS[1], ARGV[1])
end
return {1}
