-- Takes a plain lock if nobody has it, and draws a block of fencing tokens.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- returns {1, first token} if the lock is the owner's, {0, ms that the holder has left, holder} if not
--
-- State is written, never counted up: a second run for the same owner finds its own grant, answers as the first did and, as
-- the grant may have been extended meanwhile, shortens nothing.
-- Lua does not roll back, so everything is validated before the first write.

local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

local ttl = whole(ARGV[2], 10, 86400000)
local seen = whole(ARGV[3], 0, 9007199254740992)
if ARGV[1] == '' or not (ttl and seen) then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

local left = redis.call('pttl', KEYS[1])
local token = nil
local kept = 0
if left ~= -2 then
  local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:token', 'holdfast:lease', 'mode', 'holdfast:kind')
  if known[4] then
    return redis.error_reply('WRONGKIND holdfast: the key is held as a read/write lock, asked for as a re-entrant one')
  end
  if known[5] then
    return redis.error_reply('WRONGKIND holdfast: the key is held as a ' .. known[5] .. ' lock, asked for as a plain (re-entrant) one')
  end
  if not known[1] then
    -- A time to live beyond what its holder asked for (the server's clock was set back, a script died half way) is cut to that.
    local cap = tonumber(known[3])
    if cap and (left < 0 or left > cap) then
      redis.call('pexpire', KEYS[1], cap)
      left = cap
    end
    for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
      if string.sub(field, 1, 9) ~= 'holdfast:' then
        return {0, left, field}
      end
    end
    return {0, left, ''}
  end
  token = tonumber(known[2])
  kept = tonumber(known[3]) or 0
end

if not token then
  local time = redis.call('time')
  local last = tonumber(redis.call('get', KEYS[2]) or '0') or 0
  local drawn = math.max(time[1] * 1000000 + time[2], last + 1, seen + 1)
  -- Never by tostring: that would round to fourteen digits.
  redis.call('set', KEYS[2], string.format('%.0f', drawn))
  -- Room for 1,024 holders. Exact: a number below 2^53 times a power of two.
  token = drawn * 1024
end
local cap = string.format('%.0f', math.max(ttl, kept))
redis.call('hset', KEYS[1], ARGV[1], 1, 'holdfast:token', string.format('%.0f', token), 'holdfast:lease', cap)
local expiring = left < ttl and redis.pcall('pexpire', KEYS[1], ARGV[2])
if type(expiring) == 'table' then
  -- Better no lock than one without an end.
  redis.pcall('del', KEYS[1])
  return expiring
end
return {1, token}
