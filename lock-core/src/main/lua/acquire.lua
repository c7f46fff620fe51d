-- Takes a plain or a fair lock if it is free for the owner, and draws a block of fencing tokens. Otherwise an owner that waits enters the queue, or
-- stays in it.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[4] for how many ms the owner's place counts as alive: 5000.25 if left out; 0 for an owner that does not wait. See lib/queue.lua for its fraction
-- ARGV[5] kind: left out for a plain lock, or fair
-- returns the first token if the owner has the lock from now on; {1, first token, ms left} if it had the lock already; or
--         {0, ms left, holder, last number drawn, near}: near is 1 near the head of the queue, plus 2 if a Redisson client has the lock, or its turn,
--         first. The last two are 0 for an owner that does not wait
--
-- The script writes state and never increments it: a second run for the same owner finds its own grant, which it does not prolong, or its place.
-- Lua does not roll back, so everything is validated before the first write.

--#include arguments
--#include common
--#include clock

local lock = KEYS[1]
local token_key = KEYS[2] or 'holdfast:token'
local kind = ARGV[5] or ''
if kind ~= '' and kind ~= 'fair' then
  return out_of_bounds()
end

-- Writes the hold of the owner. The release looks at the queue only where the hold says that somebody may wait.
local function grant_to_owner(token, has_waiters)
  local text = decimal(token)
  if kind == 'fair' then
    redis.call('hset', lock, owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[3], 'holdfast:kind', kind)
  elseif has_waiters then
    redis.call('hset', lock, owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[3], 'holdfast:line', 1)
  else
    redis.call('hset', lock, owner, 1, 'holdfast:token', text, 'holdfast:lease', ARGV[3])
  end
  local ended = redis.pcall('pexpire', lock, ARGV[3])
  if type(ended) == 'table' then
    -- No lock is better than one without an end.
    redis.pcall('del', lock)
    return ended
  end
  return token
end

if redis.call('exists', lock, 'redisson_lock_timeout:' .. tagged(lock)) == 0 then
  return grant_to_owner(draw(token_key, seen))
end

-- The usual script ends here. What follows is for a lock that is held, or that somebody waits for.

--#include held
--#include redisson-turn
--#include grant-next

-- By how many ms a Redisson client lowers all deadlines behind its own when it takes the lock or gives up.
local REDISSON_STEP = 300000

-- How many places from the head are searched for Redisson's clients.
local SEARCHED = 64

-- A deadline that is more than so many ms away shows that Redisson's clients wait: a client of this library that waits for 100,000 locks has one of 40 s.
local FAR = 60000

-- The deadline of the owner's place, and the farthest one in the queue. For a fair lock it is one step later for each Redisson client ahead, so that
-- these do not lower it into the past. Deadlines that became too late when Redisson's clients left are cut, so that no dead place keeps one.
local function deadline_of_owner(queue, now)
  local deadline = now + lifetime
  if not queue.fair then
    return deadline, deadline
  end
  local farthest = tonumber(redis.call('zrange', queue.deadlines, -1, -1, 'withscores')[2]) or 0
  local far = farthest > now + FAR
  local places = redis.call('lrange', queue.places, 0, SEARCHED - 1)
  for _, place in ipairs(places) do
    if place == owner then
      return deadline, farthest
    elseif is_redisson(place) then
      deadline = deadline + REDISSON_STEP
    elseif far then
      local present = deadline_of(queue, place) or 0
      if present > deadline + FAR then
        set_deadline(queue, place, math.floor(deadline) + present % 1)
      end
    end
  end
  if far and #places == SEARCHED then
    -- In a longer queue the farthest deadline stands for the Redisson clients that are not counted.
    deadline = math.max(deadline, math.floor(farthest) + lifetime % 1)
  end
  return deadline, farthest
end

local queue = queue_of(lock, KEYS[2])
queue.fair = kind == 'fair'
queue.seen = seen
queue.asker = owner
local left = redis.call('pttl', lock)
local fields = {}
local holder = nil
local more = false

local turn = left == -2 and not queue.fair and lifetime > 0 and left_to_redisson(queue)
if turn then
  left = turn
elseif left == -2 then
  local granted, blocker, beyond = grant_next(queue)
  more = beyond
  if granted then
    left = redis.call('pttl', lock)
    fields = fields_of(lock)
  elseif blocker and blocker ~= owner and queue.fair then
    left = ms_until_passed(queue, blocker, more)
    holder = ''
  else
    -- The draw comes first: a server without memory refuses it, and allows everything behind another write.
    local token = draw(token_key, seen)
    leave(queue, owner)
    return grant_to_owner(token, true)
  end
else
  fields = fields_of(lock)
  local held_as = fields['holdfast:kind'] or ''
  if fields['mode'] or ((fields['holdfast:token'] or held_as ~= '') and held_as ~= kind) then
    return wrong_kind('the key', kind_of(fields) .. ' lock', (queue.fair and 'fair' or PLAIN) .. ' one')
  end
end
local lease = tonumber(fields['holdfast:lease'] or '')
if fields[owner] then
  return {1, tonumber(fields['holdfast:token'] or ''), capped(lock, left, lease)}
end

holder = holder or holder_of(fields)
local near = 0
local drawn = 0
if lifetime > 0 then
  drawn = last_drawn(token_key)
  local now = server_millis()
  local deadline, farthest = deadline_of_owner(queue, now)
  local is_near, entered = enter(queue, owner, now, deadline, math.max(farthest, deadline))
  near = more and 1 or is_near
  -- A later deadline shows that a Redisson client is ahead.
  if queue.fair and (deadline > now + lifetime or is_redisson(holder)) then
    near = near + 2
  end
  if entered then
    note_waiters(lock, fields)
  end
end
-- The cut comes behind that write: see "Ends come last" in docs/protocol.md.
left = capped(lock, left, lease)
return {0, left, holder, drawn, near}
