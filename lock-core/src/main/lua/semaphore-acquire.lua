-- Grants a permit of a semaphore to the owner if one is free for it, and draws a block of fencing tokens. Otherwise, an owner that waits enters the
-- queue or keeps its place there.
--
-- KEYS[1] the semaphore (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner; its last part is the number of permits
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the owner's place counts as alive; 0 for an owner that does not wait. lib/queue.lua explains its fraction
-- ARGV[5] kind: semaphore, or fair-semaphore
-- ARGV[6] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns the first token if a permit is granted now; {1, first token, ms left} if the owner had a permit already; or {0, ms after which to ask
--         again, empty, last number drawn, flags} if it is refused. flags is 1 near the head of the queue, plus 4 if the slot is
--         closed. The last number drawn and flags are 0 for an
--         owner that does not wait

--#include arguments
--#include semaphore-fields

local lock = KEYS[1]
local token_key = KEYS[2] or 'holdfast:token'
local kind = ARGV[5]
local permits = tonumber(string.match(owner, ':(%d+)$') or '')
if not (permits and permits > 0 and (kind == 'semaphore' or kind == 'fair-semaphore')) then
  --#include out-of-bounds
  return out_of_bounds()
end
--#include name
if not ARGV[6] and redis.call('exists', 'redisson_lock_timeout:' .. name) == 0 then
  local known = redis.call('hmget', lock, owner, 'holdfast:kind', 'holdfast:end', 'holdfast:longest')
  local fields = redis.call('hlen', lock)
  local clock
  --#include time
  local now = math.floor(tonumber(clock) / 1000)
  local first = tonumber(known[3] or '')
  local longest = tonumber(known[4] or '')
  -- Permits that have ended count as well until no permit seems to be free.
  if fields == 0 or (known[2] == kind and not known[1] and fields - NOT_OWNERS < permits) then
    --#include draw
    local lease = string.format('%.0f', ttl)
    local ends = string.format('%.0f', now + ttl)
    local left = fields > 0 and redis.call('pttl', lock) or 0
    redis.call('hset', lock, owner, ends .. ':' .. lease .. ':' .. string.format('%.0f', token), 'holdfast:kind', kind,
      'holdfast:end', first and first < now + ttl and known[3] or ends, 'holdfast:longest', longest and longest > ttl and known[4] or lease)
    local ended = redis.pcall('pexpire', lock, left > ttl and string.format('%.0f', left) or lease)
    if type(ended) == 'table' then
      -- Removes the permit, because a semaphore must not be left without an end.
      redis.pcall('hdel', lock, owner)
      if fields == 0 then
        redis.pcall('del', lock)
      end
      return ended
    end
    return token
  end
end

-- The script usually ends here. The rest is for a semaphore that has a queue, no free permit or a permit that has ended, and for a client with a grace.

--#include held
--#include kinds
--#include semaphore
--#include reign
--#include enter
--#include closed

local closed = ARGV[6] and closed_for(term_of(KEYS[2], ARGV[6]), seen)
if closed then
  return not_yet(queue_of(lock, KEYS[2]), closed)
end
local known = redis.call('hmget', lock, owner, 'holdfast:kind', 'mode')
if known[2] ~= kind and redis.call('exists', lock) == 1 then
  local held_as = kind_of({mode = known[3], ['holdfast:kind'] = known[2]})
  return wrong_kind('the key', is_semaphore(held_as) and held_as or held_as .. ' lock', kind)
end
local now = server_millis()
local ends, lease, token = permit(known[1])
if ends and ends > now then
  local left = math.min(ends - now, lease)
  if left < ttl then
    write_permit(lock, kind, owner, now, ttl, math.max(lease, ttl), token)
    left = ttl
  end
  return {1, tonumber(token), left}
end

local queue = queue_of(lock, KEYS[2])
queue.fair = kind == 'fair-semaphore'
queue.seen = seen
queue.asker = owner
local held, blocker, more = grant_permits(queue, kind, now)
local first = blocker == nil or blocker == owner
if held < permits and (first or (not queue.fair and queue.fits(blocker))) then
  local drawn = draw(queue.token, seen)
  write_permit(lock, kind, owner, now, ttl, ttl, decimal(drawn))
  leave(queue, owner)
  return drawn
end

local after = (tonumber(redis.call('hmget', lock, 'holdfast:end')[1] or '') or now) - now
if held < permits and not first then
  -- The first place has not yet asked for the free permit, or its number of permits is smaller.
  after = ms_until_passed(queue, blocker, more)
end
local drawn = 0
local flags = 0
if lifetime > 0 then
  drawn = tonumber(redis.call('get', queue.token) or '0') or 0
  flags = enter(queue, owner, now, now + lifetime, now + lifetime)
  flags = more and 1 or flags
end
return {0, math.max(1, after), '', drawn, flags}
