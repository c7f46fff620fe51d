-- Takes a plain or a fair lock if it is free for the owner, and draws a block of fencing tokens. Otherwise the owner enters the lock's line,
-- or stays in it, if it waits.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] the line (list of places, the next one first)
-- KEYS[4] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits; 0 if it does not
-- ARGV[5] kind: empty for a plain lock, or fair
-- ARGV[6] the lock's channel for Redisson's clients
-- ARGV[7] 1 in a cluster, where the shard is told
-- ARGV[8] what the names of clients' channels begin with
-- returns {1, first token} if the lock is the owner's from now on, {1, first token, ms left} if it was already, or
--         {0, ms left, holder, last number drawn, 1 if near the head of the line} if it is not;
--         the last two are 0 for an owner that does not wait
--
-- State is written, never counted up: a second run for the same owner finds its own grant or its own place. It does not prolong the grant.
-- Lua does not roll back, so everything is validated before the first write.
--
-- Begins with acquire-free-head.lua.
-- Begins with line-head.lua.

-- By how much a Redisson client lowers the deadline of everybody behind it when it takes the lock or gives up.
local REDISSON_STEP = 300000

-- A longer line is not searched for Redisson's clients, unless a deadline tells of them.
local SHORT_LINE = 64

local line = {lock = KEYS[1], places = KEYS[3], deadlines = KEYS[4]}
local holder = nil

if left == -2 then
  local next = head ~= owner and serve(line, {
    token = KEYS[2], kind = kind, seen = ARGV[3], channel = ARGV[6], cluster = ARGV[7], wake = ARGV[8], asker = owner
  })
  if next == true then
    left = redis.call('pttl', KEYS[1])
  elseif next and next ~= owner and kind == 'fair' then
    left = math.max(1, redis.call('zscore', KEYS[4], next) - server_millis())
    holder = ''
  else
    leave(line, owner)
    return take()
  end
else
  local known = redis.call('hmget', KEYS[1], owner, 'holdfast:token', 'holdfast:lease', 'mode', 'holdfast:kind')
  local names = {fair = 'fair', [''] = 'plain (re-entrant)'}
  if known[4] or (known[2] and (known[5] or '') ~= kind) then
    return redis.error_reply('WRONGKIND holdfast: the key is held as a ' .. (known[4] and 'read/write' or names[known[5] or ''])
      .. ' lock, asked for as a ' .. names[kind] .. ' one')
  end
  left = capped(KEYS[1], left, tonumber(known[3]))
  if known[1] then
    return {1, tonumber(known[2]), left}
  end
end

local near = 0
local drawn = 0
if patience > 0 then
  drawn = tonumber(redis.call('get', KEYS[2]) or '0') or 0
  local now = server_millis()
  local deadline = now + patience
  local farthest = deadline
  if kind == 'fair' then
    farthest = math.max(deadline, tonumber(redis.call('zrange', KEYS[4], -1, -1, 'withscores')[2]) or 0)
    local some = redis.call('lrange', KEYS[3], 0, SHORT_LINE)
    if farthest > deadline or #some <= SHORT_LINE then
      -- Behind a Redisson client's deadline is one step further away for each of them, so that it is not lowered into the past. When
      -- they have gone in some other way, nobody needs such a deadline any more: the dead among us must not keep theirs.
      for _, place in ipairs(#some <= SHORT_LINE and some or redis.call('lrange', KEYS[3], 0, -1)) do
        if place == owner then
          break
        elseif not string.find(place, ':[^:]*:') then
          deadline = deadline + REDISSON_STEP
        elseif farthest > deadline and (tonumber(redis.call('zscore', KEYS[4], place)) or 0) > deadline then
          redis.call('zadd', KEYS[4], decimal(deadline), place)
        end
      end
    end
  end
  local entered = redis.call('zadd', KEYS[4], decimal(deadline), owner)
  local first = redis.call('lrange', KEYS[3], 0, NEAR - 1)
  if entered == 1 or #first == 0 then
    redis.call('rpush', KEYS[3], owner)
    for _, dead in ipairs(redis.call('zrange', KEYS[4], '-inf', now, 'byscore', 'limit', 0, 2)) do
      leave(line, dead)
    end
  end
  near = #first < NEAR and 1 or 0
  for _, place in ipairs(first) do
    near = place == owner and 1 or near
  end
  local rest = decimal(math.max(farthest, deadline) - now + REST)
  redis.call('pexpire', KEYS[3], rest)
  redis.call('pexpire', KEYS[4], rest)
end
return {0, left, holder or holder_of(KEYS[1]), drawn, near}
