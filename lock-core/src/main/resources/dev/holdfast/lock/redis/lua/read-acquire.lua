-- Lets a reader in beside other readers, or beside the writer that its own thread is, and draws a block of fencing tokens.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] this hold (string)
-- KEYS[4] the mark of a waiting writer (string)
-- ARGV[1] the reader's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] what the names of this lock's holds begin with
-- ARGV[5] the writer's field where the asking thread writes, else empty
-- ARGV[6] 1 if waiting writers go first
-- returns {1, first token} if the reader is in, {0, ms after which to ask again, holder} if not
--
-- State is written, never counted up: a second run for the same reader finds its own hold and answers as the first did.
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

-- What a key has left, negative if it is gone. More than it was given (the server's clock was set back) is cut to that.
local function left(key)
  local ms = redis.call('pttl', key)
  if ms ~= -2 then
    local cap = tonumber(string.match(redis.call('get', key) or '', '^(%d+):'))
    if cap and (ms < 0 or ms > cap) then
      redis.call('pexpire', key, cap)
      ms = cap
    end
  end
  return ms
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

local nested = mode == 'write' and ARGV[5] ~= ''
  and redis.call('hexists', KEYS[1], ARGV[5]) == 1
  and left(ARGV[4] .. ':' .. ARGV[5] .. ':rwlock_timeout:1') >= 0
local dead = {}
if mode == 'write' and not nested then
  for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
    if string.sub(field, -6) == ':write' then
      -- A writer of another library has no hold of its own: it is there for as long as the lock.
      local writes = remaining
      if string.find(field, ':%d+:%d+:write$') then
        writes = left(ARGV[4] .. ':' .. field .. ':rwlock_timeout:1')
      end
      if writes ~= -2 then
        return {0, writes, field}
      end
      dead[#dead + 1] = field
    end
  end
end
if ARGV[6] == '1' and not nested then
  local marked = left(KEYS[4])
  if marked ~= -2 then
    return {0, marked, ''}
  end
end

local time = redis.call('time')
local last = tonumber(redis.call('get', KEYS[2]) or '0') or 0
local drawn = math.max(time[1] * 1000000 + time[2], last + 1, seen + 1)
-- Never by tostring: that would round to fourteen digits.
redis.call('set', KEYS[2], string.format('%.0f', drawn))
local token = drawn * 1024
redis.call('set', KEYS[3], ARGV[2] .. ':' .. string.format('%.0f', token), 'px', ARGV[2])
for _, field in ipairs(dead) do
  redis.call('hdel', KEYS[1], field)
end
redis.call('hset', KEYS[1], 'mode', nested and 'write' or 'read', ARGV[1], 1)
local expiring = remaining < ttl and redis.pcall('pexpire', KEYS[1], ARGV[2])
if type(expiring) == 'table' then
  -- Better no hold than a lock without an end.
  redis.pcall('del', KEYS[3])
  redis.pcall('hdel', KEYS[1], ARGV[1])
  if remaining == -2 then
    redis.pcall('del', KEYS[1])
  end
  return expiring
end
return {1, token}
