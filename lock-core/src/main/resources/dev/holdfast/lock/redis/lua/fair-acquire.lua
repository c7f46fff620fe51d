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

-- By how much a Redisson client lowers the deadline of everybody behind it when it takes the lock or gives up.
local REDISSON_STEP = 300000

-- How long the queue outlives the last deadline in it, for waiters of Redisson who come later and set no end.
local REST = 600000

local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

local ttl = whole(ARGV[2], 10, 86400000)
local seen = whole(ARGV[3], 0, 9007199254740992)
local patience = whole(ARGV[4], 0, 86400000)
if ARGV[1] == '' or not (ttl and seen and patience) then
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
  local token = known[1] and tonumber(known[2])
  if not token then
    local last = tonumber(redis.call('get', KEYS[2]) or '0') or 0
    local drawn = math.max(time[1] * 1000000 + time[2], last + 1, seen + 1)
    -- Never by tostring: that would round to fourteen digits.
    redis.call('set', KEYS[2], string.format('%.0f', drawn))
    -- The same numbers as the other kinds have. Exact: a number below 2^53 times a power of two.
    token = drawn * 1024
  end
  local kept = known[1] and tonumber(known[3]) or 0
  redis.call('hset', KEYS[1], ARGV[1], 1, 'holdfast:token', string.format('%.0f', token),
    'holdfast:lease', string.format('%.0f', math.max(ttl, kept)), 'holdfast:kind', 'fair')
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
  -- A time to live beyond what its holder asked for (the server's clock was set back, a script died half way) is cut to that.
  local cap = tonumber(known[3])
  if cap and (left < 0 or left > cap) then
    redis.call('pexpire', KEYS[1], cap)
    left = cap
  end
  for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
    if string.sub(field, 1, 9) ~= 'holdfast:' then
      holder = field
      break
    end
  end
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
      redis.call('zadd', KEYS[4], string.format('%.0f', reach), queue[i])
    end
  end
  if not mine then
    redis.call('rpush', KEYS[3], ARGV[1])
    mine = reach
  end
  redis.call('zadd', KEYS[4], string.format('%.0f', mine), ARGV[1])
  local rest = string.format('%.0f', math.max(farthest, mine) - now + REST)
  redis.call('pexpire', KEYS[3], rest)
  redis.call('pexpire', KEYS[4], rest)
end
return {0, left, holder}
