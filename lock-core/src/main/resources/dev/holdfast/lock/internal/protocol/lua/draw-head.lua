-- Numbers: how a script reads them, writes them, and draws the next fencing number of a slot.

-- The number, or false if it is not a whole one within these bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

-- Never by tostring: that would round to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end

-- Draws the next number of this slot, greater than any that the client has seen, and answers the first of its 1,024 tokens.
local function draw(key, seen)
  local time = redis.call('time')
  local last = tonumber(redis.call('get', key) or '0') or 0
  local drawn = math.max(time[1] * 1000000 + time[2], last + 1, (tonumber(seen) or 0) + 1)
  redis.call('set', key, decimal(drawn))
  -- Exact: a number below 2^53 times a power of two.
  return drawn * 1024
end

