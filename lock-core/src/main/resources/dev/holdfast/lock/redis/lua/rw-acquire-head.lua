-- What both sides of a read/write lock begin with: the key must be one, and who is in already is answered as before.
--
-- KEYS[1] the lock (hash)
-- KEYS[3] this hold (string)
-- ARGV[1] the reader's or the writer's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
--
-- Begins with acquire-head.lua.

-- What a key has left, negative if it is over. Each such key's text begins with what it was given.
local function left(key)
  local ms = redis.call('pttl', key)
  return ms == -2 and ms or capped(key, ms, tonumber(string.match(redis.call('get', key) or '', '^(%d+):')))
end

local known = redis.call('hmget', KEYS[1], 'mode', ARGV[1], 'holdfast:kind')
local mode = known[1]
local remaining = redis.call('pttl', KEYS[1])
if not mode and remaining ~= -2 then
  local kind = known[3] or 'plain (re-entrant)'
  return redis.error_reply('WRONGKIND holdfast: the key is held as a ' .. kind .. ' lock, asked for as a read/write lock')
end
local stored = known[2] and redis.call('get', KEYS[3])
if stored then
  return {1, tonumber(string.match(stored, ':(%d+)$'))}
end

