-- What both sides of a read/write lock begin with: the key must be one, and who is in already is answered as before.
--
-- KEYS[1] the lock (hash)
-- KEYS[3] this hold (string)
-- KEYS[4] the line (list of places, the next one first)
-- KEYS[5] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] the reader's or the writer's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[5] for how many ms the asker's place is taken for alive, if it waits; 0 if it does not. Its fraction says
--         whether the client hears messages, see line-head.lua
-- ARGV[6] what the names of clients' channels begin with
-- ARGV[7] 1 in a cluster, where the shard is told
--
-- Begins with rw-line-head.lua.
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
  return {1, tonumber(string.match(stored, ':(%d+)$')), left(KEYS[3])}
end
local patience = lifetime(ARGV[5])
if not patience then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local line = {lock = KEYS[1], places = KEYS[4], deadlines = KEYS[5]}
local to = {wake = ARGV[6], cluster = ARGV[7]}

local function refused(ms, holder, beside)
  local near = 0
  if patience > 0 then
    local now = server_millis()
    near = enter(line, ARGV[1], now, now + patience, now + patience)
  end
  return {0, ms, holder, -1, near + (beside and 2 or 0)}
end

-- Who goes first where the lock is free for the asker, and for how many ms at most: the first place that is another's, or Redisson's clients.
local function first_ahead()
  if redis.call('exists', line.deadlines) == 0 then
    return nil
  end
  local ms = patience > 0 and left_to_redisson(line)
  if ms then
    return THEIRS, ms
  end
  return first_other(line, to, ARGV[1])
end

