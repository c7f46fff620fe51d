-- Grants a plain or fair lock to the owner if the lock is free for it, and draws a block of fencing tokens. Otherwise, an owner that waits enters the
-- queue or keeps its place there.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the owner's place counts as alive: 5000.5 if left out; 0 for an owner that does not wait. lib/queue.lua explains its fraction
-- ARGV[5] kind: left out or empty for a plain lock, or fair
-- ARGV[6] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns the first token if the lock is granted now; {1, first token, ms left} if the owner had the lock already; or {0, ms left, holder, last
--         number drawn, flags} if it is refused. flags is 1 near the head of the queue, plus 2 if a Redisson client has the lock, or its turn, first,
--         plus 4 if the slot is closed.
--         The last number drawn and flags are 0 for an owner that does not wait

--#include arguments

local lock = KEYS[1]
local token_key = KEYS[2] or 'holdfast:token'
local kind = ARGV[5] or ''
local has_waiters = false
-- The name as in lib/name.lua, but in one text, because each text costs time.
local deadlines = string.find(lock, '{', 1, true) and 'redisson_lock_timeout:' .. lock or 'redisson_lock_timeout:{' .. lock .. '}'
if not ARGV[6] and (kind == '' or kind == 'fair') and redis.call('exists', lock, deadlines) == 0 then
  local clock
  --#include time
  --#include draw
  --#include hold
end

-- The script usually ends here. The rest is for a lock that is held or has a queue, and for a client with a grace.

if kind ~= '' and kind ~= 'fair' then
  --#include out-of-bounds
  return out_of_bounds()
end

--#include clock
--#include queue

local closed = nil
if ARGV[6] then
  --#include decimal
  --#include reign
  closed = closed_for(term_of(KEYS[2], ARGV[6]), seen)
  if not closed and redis.call('exists', lock, deadlines) == 0 then
    --#include token
    local token = draw(token_key, seen)
    --#include hold
  end
end

local queue = queue_of(lock, KEYS[2])
queue.fair = kind == 'fair'
queue.seen = seen
queue.asker = owner
if closed then
  --#include closed
  return not_yet(queue, closed)
end

--#include held

local left = redis.call('pttl', lock)
local fields = {}
local holder = nil
local more = false

if left == -2 then
  --#include redisson-turn
  --#include grant-next
  local turn = not queue.fair and lifetime > 0 and left_to_redisson(queue)
  if turn then
    left = turn
  else
    local granted, blocker, beyond = grant_next(queue)
    more = beyond
    if granted then
      left = redis.call('pttl', lock)
      fields = fields_of(lock)
    elseif blocker and blocker ~= owner and queue.fair then
      left = ms_until_passed(queue, blocker, more)
      holder = ''
    else
      -- Draws before any other write: a server without memory refuses the draw, but would allow it after another write.
      local token = draw(token_key, seen)
      leave(queue, owner)
      has_waiters = true
      --#include hold
    end
  end
else
  fields = fields_of(lock)
  local held_as = fields['holdfast:kind'] or ''
  if fields['mode'] or ((fields['holdfast:token'] or held_as ~= '') and held_as ~= kind) then
    --#include kinds
    return wrong_kind('the key', kind_of(fields) .. ' lock', (queue.fair and 'fair' or PLAIN) .. ' one')
  end
end
local lease = tonumber(fields['holdfast:lease'] or '')
if fields[owner] then
  left = capped(lock, left, lease)
  if left < ttl then
    -- A release granted the lock for a shorter time, or a request that was lost asked for less.
    redis.call('pexpire', lock, ARGV[3])
    if (lease or 0) < ttl then
      redis.call('hset', lock, 'holdfast:lease', ARGV[3])
      -- As "Ends come last" in the wire contract says.
      redis.call('pexpire', lock, ARGV[3])
    end
    left = ttl
  end
  return {1, tonumber(fields['holdfast:token'] or ''), left}
end

holder = holder or holder_of(fields)
local flags = 0
local drawn = 0
if lifetime > 0 then
  --#include enter
  drawn = tonumber(redis.call('get', token_key) or '0') or 0
  local now = server_millis()
  local deadline = now + lifetime
  local farthest = deadline
  local beside_redisson = false
  if queue.fair then
    --#include fair-deadline
    local later, last = deadline_of_owner(queue, now)
    deadline = later
    farthest = last
    -- A later deadline shows that a Redisson client is ahead.
    beside_redisson = deadline > now + lifetime or is_redisson(holder)
  end
  local is_near, entered = enter(queue, owner, now, deadline, math.max(farthest, deadline))
  flags = more and 1 or is_near
  if beside_redisson then
    flags = flags + 2
  end
  if entered then
    note_waiters(lock, fields)
  end
end
-- Cuts the time to live after that write: see "Ends come last" in the wire contract.
left = capped(lock, left, lease)
return {0, left, holder, drawn, flags}
