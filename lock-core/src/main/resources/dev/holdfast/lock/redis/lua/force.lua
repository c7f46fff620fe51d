-- Frees a lock, whoever has it.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue of a fair lock (list of owners, the next one first)
-- KEYS[3] until when each of them is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] channel
-- ARGV[2] 1 in a cluster, where the shard is told
-- returns {1} if anybody had it, {0} if not

local function tell(channel)
  local heard = ARGV[2] == '1' and redis.pcall('spublish', channel, '0') or redis.pcall('publish', channel, '0')
  if type(heard) == 'table' and ARGV[2] == '1' and string.find(heard.err, 'Unknown') then
    redis.pcall('publish', channel, '0')
  end
end

if redis.call('hlen', KEYS[1]) == 0 then
  return {0}
end
redis.call('del', KEYS[1])
tell(ARGV[1])

-- The waiters of a fair lock listen each on a channel of its own. The dead at the head are passed over; the next question clears them away.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, owner in ipairs(redis.call('lrange', KEYS[2], 0, -1)) do
  local deadline = tonumber(redis.call('zscore', KEYS[3], owner))
  if deadline and deadline > now then
    tell(ARGV[1] .. ':' .. owner)
    break
  end
end
return {1}
