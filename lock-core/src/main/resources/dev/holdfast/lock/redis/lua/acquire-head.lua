-- What every script that acquires begins with: a check of what all of them are told, and what more than one of them does.
--
-- ARGV[1] owner, or the owner's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen

-- The number, or false if it is not a whole one within these bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

local ttl = whole(ARGV[2], 10, 86400000)
local seen = whole(ARGV[3], 0, 9007199254740992)
if ARGV[1] == '' or not (ttl and seen) then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

-- Never by tostring: that would round to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end

-- Draws the next number of this slot, and answers the first of the 1,024 tokens that it has room for.
local function draw(key)
  local time = redis.call('time')
  local last = tonumber(redis.call('get', key) or '0') or 0
  local drawn = math.max(time[1] * 1000000 + time[2], last + 1, seen + 1)
  redis.call('set', key, decimal(drawn))
  -- Exact: a number below 2^53 times a power of two.
  return drawn * 1024
end

-- A time to live beyond what its holder asked for (the server's clock was set back, a script died half way) is cut to that.
local function capped(key, left, cap)
  if cap and (left < 0 or left > cap) then
    redis.call('pexpire', key, cap)
    return cap
  end
  return left
end

-- Who has a lock that is not a read/write lock.
local function holder_of(key)
  for _, field in ipairs(redis.call('hkeys', key)) do
    if string.sub(field, 1, 9) ~= 'holdfast:' then
      return field
    end
  end
  return ''
end

