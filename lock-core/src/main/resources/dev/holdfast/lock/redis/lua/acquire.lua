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
--
-- Begins with acquire-head.lua.

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
    return {0, capped(KEYS[1], left, tonumber(known[3])), holder_of(KEYS[1])}
  end
  token = tonumber(known[2])
  kept = tonumber(known[3]) or 0
end

token = token or draw(KEYS[2])
redis.call('hset', KEYS[1], ARGV[1], 1, 'holdfast:token', decimal(token), 'holdfast:lease', decimal(math.max(ttl, kept)))
local expiring = left < ttl and redis.pcall('pexpire', KEYS[1], ARGV[2])
if type(expiring) == 'table' then
  -- Better no lock than one without an end.
  redis.pcall('del', KEYS[1])
  return expiring
end
return {1, token}
