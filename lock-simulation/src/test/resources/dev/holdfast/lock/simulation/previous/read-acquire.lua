-- Lets a reader in beside other readers, or beside the writer that its own thread is, and draws a block of fencing tokens.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] this hold (string)
-- KEYS[4] the line (list of places, the next one first)
-- KEYS[5] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] the reader's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] what the names of this lock's holds begin with
-- ARGV[5] for how many ms the reader's place is taken for alive, if it waits; 0 if it does not. Its fraction says
--         whether the client hears messages, see line-head.lua
-- ARGV[6] what the names of clients' channels begin with
-- ARGV[7] 1 in a cluster, where the shard is told
-- ARGV[8] the writer's field where the asking thread writes, else empty
-- ARGV[9] 1 if waiting writers go first
-- returns {1, first token} if the reader is in, {1, first token, ms left} if it was already, {0, ms after which to ask again, holder, -1,
--         1 if near the head of the line} if not: no release grants this
--
-- State is written, never counted up: a second run for the same reader finds its own hold and answers as the first did.
-- Lua does not roll back, so everything is validated before the first write.
--
-- Begins with rw-acquire-head.lua.

local nested = mode == 'write' and ARGV[8] ~= ''
  and redis.call('hexists', KEYS[1], ARGV[8]) == 1
  and left(ARGV[4] .. ':' .. ARGV[8] .. ':rwlock_timeout:1') >= 0
local dead = {}
if mode == 'write' and not nested then
  local fields = redis.call('hgetall', KEYS[1])
  for i = 1, #fields, 2 do
    local field = fields[i]
    if string.sub(field, -6) == ':write' then
      -- A writer of another library has no hold of its own: it is there for as long as the lock.
      local writes = remaining
      if string.find(field, ':%d+:%d+:write$') then
        writes = left(ARGV[4] .. ':' .. field .. ':rwlock_timeout:1')
      end
      if writes ~= -2 then
        return refused(writes, field)
      end
      dead[#dead + 1] = field
    end
  end
end
if ARGV[9] == '1' and not nested then
  local first, ms = first_ahead()
  if first and (first == THEIRS or is_writer(first)) then
    return refused(ms, '')
  end
end

local token = draw(KEYS[2], ARGV[3])
redis.call('set', KEYS[3], ARGV[2] .. ':' .. decimal(token), 'px', ARGV[2])
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
if patience > 0 then
  leave(line, ARGV[1])
end
return {1, token}
