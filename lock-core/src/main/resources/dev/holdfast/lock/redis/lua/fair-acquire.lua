-- Takes a fair lock if nobody has it and nobody is ahead in its queue; otherwise queues up, or stays queued, if asked to wait.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] the queue (list of owners, the next one first)
-- KEYS[4] until when each of them is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner is taken for alive, if it waits; 0 if it does not
-- returns {1, first token} if the lock is the owner's, {0, ms left, holder} if not: what the holder has left, or, where nobody
-- holds it, what the head of the queue has
--
-- State is written, never counted up: a second run for the same owner finds its own grant, or its own place, and answers as the
-- first did. The clock is the server's. Lua does not roll back, so everything is validated before the first write.
--
-- Begins with acquire-head.lua.

-- By how much a Redisson client lowers the deadline of everybody behind it when it takes the lock or gives up.
local REDISSON_STEP = 300000

-- How long the queue outlives the last deadline in it, for waiters of Redisson who come later and set no end.
local REST = 600000

local patience = whole(ARGV[4], 0, 86400000)
if not patience then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

local left = redis.call('pttl', KEYS[1])
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:token', 'holdfast:lease', 'holdfast:kind', 'mode')
if known[5] then
  return redis.error_reply('WRONGKIND holdfast: the key is held as a read/write lock, asked for as a fair one')
end
if known[2] and known[4] ~= 'fair' then
  return redis.error_reply('WRONGKIND holdfast: the key is held as a plain (re-entrant) lock, asked for as a fair one')
end
local queue = redis.call('lrange', KEYS[3], 0, -1)
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The dead at the head go, all at once. The owner is not one of them, however late: it has just asked.
local dead = 0
local deadline = false
while queue[dead + 1] and queue[dead + 1] ~= ARGV[1] do
  deadline = tonumber(redis.call('zscore', KEYS[4], queue[dead + 1]))
  if deadline and deadline > now then
    break
  end
  dead = dead + 1
end
for i = 1, dead do
  redis.call('zrem', KEYS[4], queue[i])
end
if dead > 0 then
  redis.call('ltrim', KEYS[3], dead, -1)
end
local head = queue[dead + 1]

if known[1] or (left == -2 and (not head or head == ARGV[1])) then
  if head then
    redis.call('lrem', KEYS[3], 0, ARGV[1])
    redis.call('zrem', KEYS[4], ARGV[1])
  end
  local token = known[1] and tonumber(known[2]) or draw(KEYS[2])
  local kept = known[1] and tonumber(known[3]) or 0
  redis.call('hset', KEYS[1], ARGV[1], 1, 'holdfast:token', decimal(token),
    'holdfast:lease', decimal(math.max(ttl, kept)), 'holdfast:kind', 'fair')
  local expiring = left < ttl and redis.pcall('pexpire', KEYS[1], ARGV[2])
  if type(expiring) == 'table' then
    -- Better no lock than one without an end.
    redis.pcall('del', KEYS[1])
    return expiring
  end
  return {1, token}
end

local holder = ''
if left == -2 then
  left = deadline - now
else
  left = capped(KEYS[1], left, tonumber(known[3]))
  holder = holder_of(KEYS[1])
end

if patience > 0 then
  -- Behind a Redisson client's deadline is one step further away for each of them, so that it is not lowered into the past. When
  -- they have gone in some other way, nobody needs such a deadline any more: the dead among us must not keep theirs.
  local farthest = redis.call('zrange', KEYS[4], -1, -1, 'withscores')[2]
  farthest = tonumber(farthest) or 0
  local some_far = farthest > now + patience
  local mine = false
  local reach = now + patience
  for i = dead + 1, #queue do
    if queue[i] == ARGV[1] then
      mine = reach
    elseif not string.find(queue[i], ':[^:]*:') then
      reach = reach + REDISSON_STEP
    elseif some_far and (tonumber(redis.call('zscore', KEYS[4], queue[i])) or 0) > reach then
      redis.call('zadd', KEYS[4], decimal(reach), queue[i])
    end
  end
  if not mine then
    redis.call('rpush', KEYS[3], ARGV[1])
    mine = reach
  end
  redis.call('zadd', KEYS[4], decimal(mine), ARGV[1])
  local rest = decimal(math.max(farthest, mine) - now + REST)
  redis.call('pexpire', KEYS[3], rest)
  redis.call('pexpire', KEYS[4], rest)
end
return {0, left, holder}
