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
--         again, empty, last number drawn, near} if it is refused. near is 1 near the head of the queue, plus 4 if the slot is
--         closed. The last number drawn and near are 0 for an
--         owner that does not wait

--#include arguments
--#include held
--#include kinds
--#include semaphore
--#include reign
--#include enter
--#include closed

local semaphore = KEYS[1]
local kind = ARGV[5]
local permits = permits_of(owner)
if not (permits and permits > 0 and is_semaphore(kind)) then
  return out_of_bounds()
end
local closed = ARGV[6] and closed_for(term_of(KEYS[2], ARGV[6]), seen)
if closed then
  return not_yet(queue_of(semaphore, KEYS[2]), closed)
end
local known = redis.call('hmget', semaphore, owner, 'holdfast:kind', 'mode')
if known[2] ~= kind and redis.call('exists', semaphore) == 1 then
  local held_as = kind_of({mode = known[3], ['holdfast:kind'] = known[2]})
  return wrong_kind('the key', is_semaphore(held_as) and held_as or held_as .. ' lock', kind)
end
local now = server_millis()
local ends, lease, token = permit(known[1])
if ends and ends > now then
  local left = math.min(ends - now, lease)
  if left < ttl then
    write_permit(semaphore, kind, owner, now, ttl, math.max(lease, ttl), token)
    left = ttl
  end
  return {1, tonumber(token), left}
end

local queue = queue_of(semaphore, KEYS[2])
queue.fair = kind == 'fair-semaphore'
queue.seen = seen
queue.asker = owner
local held, blocker, more = grant_permits(queue, kind, now)
local first = blocker == nil or blocker == owner
if held < permits and (first or (not queue.fair and queue.fits(blocker))) then
  local drawn = draw(queue.token, seen)
  write_permit(semaphore, kind, owner, now, ttl, ttl, decimal(drawn))
  leave(queue, owner)
  return drawn
end

local after = (tonumber(redis.call('hmget', semaphore, 'holdfast:end')[1] or '') or now) - now
if held < permits and not first then
  -- The first place has not yet asked for the free permit, or its number of permits is smaller.
  after = ms_until_passed(queue, blocker, more)
end
local drawn = 0
local near = 0
if lifetime > 0 then
  drawn = tonumber(redis.call('get', queue.token) or '0') or 0
  near = enter(queue, owner, now, now + lifetime, now + lifetime)
  near = more and 1 or near
end
return {0, math.max(1, after), '', drawn, near}
