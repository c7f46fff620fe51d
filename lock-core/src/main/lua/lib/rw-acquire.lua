-- The common beginning of the scripts that acquire one side of a read/write lock. Checks that the key is a read/write lock, and repeats the answer
-- for an owner that already holds it.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)

--#include arguments

local lock = KEYS[1]
local token_key = KEYS[2] or 'holdfast:token'
--#include name
local hold = name .. ':' .. owner .. ':rwlock_timeout:1'
if not grace and redis.call('exists', lock, 'redisson_lock_timeout:' .. name, 'redisson_lock_queue:' .. name) == 0 then
  local clock
  --#include time
  --#include draw
  redis.call('set', hold, ARGV[3] .. ':' .. string.format('%.0f', token), 'px', ARGV[3])
  redis.call('hset', lock, 'mode', side, owner, '1')
  local ended = redis.pcall('pexpire', lock, ARGV[3])
  if type(ended) == 'table' then
    -- Removes the lock, because a lock must not be left without an end.
    redis.pcall('del', lock, hold)
    return ended
  end
  return token
end

-- The script ends here if the lock is free and has no queue.

--#include held
--#include kinds
--#include rw
--#include redisson-turn
--#include token
--#include reign
--#include enter
--#include closed

local queue = rw_queue_of(lock, KEYS[2])
queue.asker = owner
local closed = grace and closed_for(term_of(KEYS[2], grace), seen)
if closed then
  return not_yet(queue, closed)
end

-- Returns how many ms are left of a hold, or a negative number if it has ended. The text of a hold begins with its lease.
local function left_of_hold(key)
  local ms = redis.call('pttl', key)
  return ms == -2 and ms or capped(key, ms, tonumber(string.match(redis.call('get', key) or '', '^(%d+):')))
end

local known = redis.call('hmget', lock, 'mode', owner, 'holdfast:kind')
local mode = known[1]
local remaining = redis.call('pttl', lock)
if not mode and remaining ~= -2 then
  return wrong_kind('the key', (known[3] or PLAIN) .. ' lock', 'read/write lock')
end
local given, token = string.match(known[2] and redis.call('get', hold) or '', '^(%d+):(%d+)$')
if token then
  local left = left_of_hold(hold)
  if left < ttl then
    -- A request that was lost asked for less.
    redis.call('pexpire', hold, ARGV[3])
    if tonumber(given) < ttl then
      redis.call('set', hold, ARGV[3] .. ':' .. token, 'px', ARGV[3])
    end
    if remaining < ttl then
      redis.call('pexpire', lock, ARGV[3])
    end
    left = ttl
  end
  return {1, tonumber(token), left}
end

-- Returns the answer for a refused owner. An owner that waits enters the queue. The number -1 in the answer says that no release grants the lock.
local function refused(ms, holder, beside_redisson)
  local flags = 0
  if lifetime > 0 then
    local now = server_millis()
    flags = enter(queue, owner, now, now + lifetime, now + lifetime)
  end
  return {0, ms, holder, -1, flags + (beside_redisson and 2 or 0)}
end

-- Returns who goes first if the lock is free for the owner, and for how many ms at most. This is either Redisson's clients or the first place, if
-- that is not the owner's.
local function first_ahead()
  -- Names the places as well, so that a missing right to them shows before the first write.
  if redis.call('exists', queue.deadlines, queue.places) == 0 then
    return nil
  end
  local ms = lifetime > 0 and left_to_redisson(queue)
  if ms then
    return TURN_END, ms
  end
  local first = walk(queue, function()
    return true
  end)
  if first and first.place ~= owner then
    return first.place, first.left
  end
end

-- Draws a token and writes the hold. Returns the token.
local function write_hold()
  local token = draw(queue.token, seen)
  redis.call('set', hold, ARGV[3] .. ':' .. decimal(token), 'px', ARGV[3])
  return token
end
