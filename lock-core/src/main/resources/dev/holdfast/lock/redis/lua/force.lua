-- Frees a lock, whoever has it.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue of a fair lock (list of owners, the next one first)
-- KEYS[3] until when each of them is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] channel
-- ARGV[2] 1 in a cluster, where the shard is told
-- ARGV[3] channel of a read/write lock
-- ARGV[4] what the names of a read/write lock's holds begin with
-- returns {1} if anybody had it, {0} if not
--
-- Begins with tell-head.lua.

if redis.call('hlen', KEYS[1]) == 0 then
  return {0}
end
local channel = ARGV[1]
local message = '0'
if redis.call('hexists', KEYS[1], 'mode') == 1 then
  channel = ARGV[3]
  -- Everybody may come in.
  message = '1'
  local fields = redis.call('hgetall', KEYS[1])
  for i = 1, #fields, 2 do
    for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
      redis.call('del', ARGV[4] .. ':' .. fields[i] .. ':rwlock_timeout:' .. hold)
    end
  end
end
redis.call('del', KEYS[1])
tell(ARGV[2], channel, message)

-- The waiters of a fair lock listen each on a channel of its own. The dead at the head are passed over; the next question clears them away.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, owner in ipairs(redis.call('lrange', KEYS[2], 0, -1)) do
  local deadline = tonumber(redis.call('zscore', KEYS[3], owner))
  if deadline and deadline > now then
    tell(ARGV[2], ARGV[1] .. ':' .. owner, '0')
    break
  end
end
return {1}
