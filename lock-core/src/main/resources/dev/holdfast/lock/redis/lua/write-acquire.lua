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
--
-- Begins with rw-acquire-head.lua.

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

local token = draw(KEYS[2], ARGV[3])
redis.call('set', KEYS[3], ARGV[2] .. ':' .. decimal(token), 'px', ARGV[2])
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
