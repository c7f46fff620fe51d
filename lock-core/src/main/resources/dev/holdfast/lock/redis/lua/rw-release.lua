-- Ends a reader's or a writer's hold, or lets it live on alone for a minimum hold. A writer that reads as well goes on as a reader.
-- Whoever waits is told when the lock is free, or will be earlier than its holders' leases end.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the hold (string)
-- ARGV[1] the holder's field
-- ARGV[2] ms to keep it from the other side still; 0 ends it now
-- ARGV[3] what the names of this lock's holds begin with
-- ARGV[4] channel
-- ARGV[5] 1 in a cluster, where the shard is told
-- returns {1, how many listeners heard of it, or -1 if it could not be said} if it was the holder's, {0, 0} if not
--
-- Only commands that a server without memory still allows, until the first of them is done: from then on it allows all.
--
-- Begins with tell-head.lua.

local known = redis.call('hmget', KEYS[1], 'mode', ARGV[1])
local mode = known[1]
local held = redis.call('pttl', KEYS[2]) ~= -2
if not (mode and known[2]) then
  if held then
    redis.call('del', KEYS[2])
  end
  return {0, 0}
end
local kept = held and tonumber(ARGV[2]) > 0
if kept then
  redis.call('pexpire', KEYS[2], ARGV[2])
else
  redis.call('hdel', KEYS[1], ARGV[1])
  redis.call('del', KEYS[2])
end

local longest = -2
local writes = false
local fields = redis.call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
  local field = fields[i]
  if field ~= 'mode' then
    local lives = -2
    for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
      lives = math.max(lives, redis.call('pttl', ARGV[3] .. ':' .. field .. ':rwlock_timeout:' .. hold))
    end
    if string.sub(field, -6) == ':write' and not string.find(field, ':%d+:%d+:write$') then
      -- Another library's writer has no hold of its own: it is there for as long as the lock.
      lives = redis.call('pttl', KEYS[1])
    end
    if lives >= 0 then
      longest = math.max(longest, lives)
      writes = writes or string.sub(field, -6) == ':write'
    else
      redis.call('hdel', KEYS[1], field)
    end
  end
end

local was = held and 1 or 0
local message = nil
if longest < 0 then
  redis.call('del', KEYS[1])
  -- One writer is enough to wake, after a writer everybody.
  message = mode == 'write' and '1' or '0'
else
  local before = redis.call('pttl', KEYS[1])
  redis.call('pexpire', KEYS[1], longest)
  if mode == 'write' and not writes then
    redis.call('hset', KEYS[1], 'mode', 'read')
    message = '1'
  elseif kept and longest < before then
    -- It ends earlier than those who wait have been told: they learn it by their next question.
    message = mode == 'write' and '1' or '0'
  end
end
if not message then
  return {was, 0}
end
local heard = tell(ARGV[5], ARGV[4], message)
return {was, held and heard or 0}
