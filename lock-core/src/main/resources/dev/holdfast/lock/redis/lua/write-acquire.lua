-- Lets a writer in where nobody alive reads or writes, and draws a block of fencing tokens.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] this hold (string)
-- KEYS[4] the mark of a waiting writer (string)
-- ARGV[1] the writer's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] what the names of this lock's holds begin with
-- ARGV[5] for how many ms to keep new readers out if readers are in the way; 0 for not at all
-- ARGV[6] client
-- returns {1, first token} if the writer is in, {0, ms that the holder with the longest lease has left, a holder} if not
--
-- State is written, never counted up: a second run for the same writer finds its own hold and answers as the first did.
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

-- What a hold has left, negative if it is over. More than it was given (the server's clock was set back) is cut to that.
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

-- Each holder is alive for as long as its own hold, however long others go on. The dead are in nobody's way.
local holder = nil
local longest = -2
local fields = redis.call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
  local field = fields[i]
  if field ~= 'mode' then
    local lives = -2
    for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
      lives = math.max(lives, left(ARGV[4] .. ':' .. field .. ':rwlock_timeout:' .. hold))
    end
    if string.sub(field, -6) == ':write' and not string.find(field, ':%d+:%d+:write$') then
      -- A writer of another library has no hold of its own: it is there for as long as the lock.
      holder = field
      longest = remaining
      break
    end
    if lives >= 0 then
      holder = holder or field
      longest = math.max(longest, lives)
    end
  end
end
if holder then
  if mode == 'read' and ARGV[5] ~= '0' then
    local mark = redis.call('get', KEYS[4])
    if not mark or string.match(mark, ':(.*)$') == ARGV[6] then
      -- A server without memory refuses: then this writer has no more than its luck.
      redis.pcall('set', KEYS[4], ARGV[5] .. ':' .. ARGV[6], 'px', ARGV[5])
    end
  end
  return {0, longest, holder}
end

local time = redis.call('time')
local last = tonumber(redis.call('get', KEYS[2]) or '0') or 0
local drawn = math.max(time[1] * 1000000 + time[2], last + 1, seen + 1)
-- Never by tostring: that would round to fourteen digits.
redis.call('set', KEYS[2], string.format('%.0f', drawn))
-- Room for 1,024 holders. Exact: a number below 2^53 times a power of two.
local token = drawn * 1024
redis.call('set', KEYS[3], ARGV[2] .. ':' .. string.format('%.0f', token), 'px', ARGV[2])
-- The dead with it, and the mark: readers that waited so far have their chance before the next writer's mark.
redis.call('del', KEYS[1], KEYS[4])
redis.call('hset', KEYS[1], 'mode', 'write', ARGV[1], 1)
local expiring = redis.pcall('pexpire', KEYS[1], ARGV[2])
if type(expiring) == 'table' then
  -- Better no lock than one without an end.
  redis.pcall('del', KEYS[1], KEYS[3])
  return expiring
end
return {1, token}
