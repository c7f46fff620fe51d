-- The usual acquisition: the lock is free and nobody waits in its line. It comes before what only the other cases need.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits: 5000.25 if it is left out; 0 if it does not wait.
--         Its fraction says whether the client hears messages, see line-head.lua
-- ARGV[5] kind: left out for a plain lock, or fair
--
-- Begins with draw-head.lua.

local owner = ARGV[1]
local ttl = tonumber(ARGV[2])
local seen = tonumber(ARGV[3])
local patience = tonumber(ARGV[4] or '5000.25')
local kind = ARGV[5] or ''
if owner == '' or not (ttl and seen and patience) or ttl % 1 ~= 0 or ttl < 10 or ttl > 86400000 or seen % 1 ~= 0 or seen < 0
  or seen > 9007199254740990 or patience * 4 % 1 ~= 0 or patience < 0 or patience > 86400000 or (kind ~= '' and kind ~= 'fair') then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local tag = string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}'
local deadlines = 'redisson_lock_timeout:' .. tag
local drawn_key = KEYS[2] or 'holdfast:token'

-- The release looks for a line only where the lock says that there may be one.
local function take(token, lined)
  local text = string.format('%.0f', token)
  if kind == 'fair' then
    redis.call('hset', KEYS[1], owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[2], 'holdfast:kind', kind)
  elseif lined then
    redis.call('hset', KEYS[1], owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[2], 'holdfast:line', 1)
  else
    redis.call('hset', KEYS[1], owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[2])
  end
  local expiring = redis.pcall('pexpire', KEYS[1], ARGV[2])
  if type(expiring) == 'table' then
    -- Better no lock than one without an end.
    redis.pcall('del', KEYS[1])
    return expiring
  end
  return token
end

if redis.call('exists', KEYS[1], deadlines) == 0 then
  return take(draw(drawn_key, seen))
end

