-- Renews the leases of permits for holders with a grace. While the slot is closed, also writes a permit again that Redis has lost. Of more permits
-- than there are, the one that ends first gives way: those whose holders have spoken end later than those whose end Redis has lost.
--
-- KEYS[i]     a semaphore (hash); behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1]     grace: '<grace in ms>:<client's clock in ms>:<ms>', for which the master before may serve on
-- ARGV[5i-3]  the owner of a permit
-- ARGV[5i-2]  lease in ms
-- ARGV[5i-1]  first token of its grant
-- ARGV[5i]    how many ms are left of the lease
-- ARGV[5i+1]  kind: semaphore, or fair-semaphore
-- returns for each key 1 if the permit is renewed, 0 if it does not belong to the owner with that token, 2 if it does but is not prolonged yet

--#include spoken
--#include semaphore

-- Removes the permits that end first until so many are left.
local function make_room(key, most, now)
  local held = held_permits(key, now)
  while held > most do
    local first = nil
    local holder = nil
    local all = redis.call('hgetall', key)
    for i = 1, #all, 2 do
      local ends = is_owner(all[i]) and permit(all[i + 1])
      if ends and (not first or ends < first) then
        first = ends
        holder = all[i]
      end
    end
    if not holder then
      return
    end
    redis.call('hdel', key, holder)
    held = held - 1
  end
end

local answers = {}
local now = server_millis()
for i, key in ipairs(locks) do
  local at = 5 * i - 3
  local owner, lease, token, rest = lease_at(at)
  local permits = owner and permits_of(owner)
  local kind = ARGV[at + 4]
  if not permits or permits < 1 or not is_semaphore(kind) then
    return out_of_bounds()
  end
  local ms, answer = prolonged(lease, rest)
  local known = redis.pcall('hmget', key, owner, 'holdfast:kind')
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local ends, longest, held = permit(not known.err and known[1] or '')
  local mine = ends and ends > now and held == token
  if mine then
    if ends < now + ms then
      write_permit(key, kind, owner, now, ms, math.max(longest, ms), token)
    end
  elseif closed and not known.err and ms >= 1 and (known[2] == kind or redis.call('exists', key) == 0) then
    make_room(key, permits - 1, now)
    write_permit(key, kind, owner, now, ms, ms, token)
    leave(queue_of(key, token_key), owner)
  else
    answer = 0
  end
  answers[i] = answer
end
return answers
