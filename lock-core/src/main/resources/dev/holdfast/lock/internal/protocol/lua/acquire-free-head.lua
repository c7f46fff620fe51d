-- The usual acquisition: the lock is free and nobody waits in its line. It comes before what only the other cases need.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] the line (list of places, the next one first)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits; 0 if it does not
-- ARGV[5] kind: empty for a plain lock, or fair
--
-- Begins with acquire-head.lua.

local patience = whole(ARGV[4], 0, 86400000)
if not patience then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local owner = ARGV[1]
local kind = ARGV[5]
local left = redis.call('pttl', KEYS[1])
local head = left == -2 and redis.call('lrange', KEYS[3], 0, 0)[1]

local function take()
  local token = draw(KEYS[2], ARGV[3])
  if kind == 'fair' then
    redis.call('hset', KEYS[1], owner, 1, 'holdfast:token', decimal(token), 'holdfast:lease', ARGV[2], 'holdfast:kind', kind)
  else
    redis.call('hset', KEYS[1], owner, 1, 'holdfast:token', decimal(token), 'holdfast:lease', ARGV[2])
  end
  local expiring = redis.pcall('pexpire', KEYS[1], ARGV[2])
  if type(expiring) == 'table' then
    -- Better no lock than one without an end.
    redis.pcall('del', KEYS[1])
    return expiring
  end
  return {1, token}
end

if left == -2 and not head then
  return take()
end

