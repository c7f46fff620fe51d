-- Renews the leases of permits that still belong to their owners. Does not shorten a permit.
--
-- KEYS[i]     a semaphore (hash)
-- ARGV[3i-2]  the owner of a permit
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    first token of its grant
-- returns for each key 1 if the permit is renewed, 0 if it does not belong to the owner with that token
--
-- A server without memory allows the first write, and then all later commands.

--#include permits

local answers = {}
local now = server_millis()
for i, key in ipairs(KEYS) do
  local owner = ARGV[3 * i - 2]
  local lease = whole(ARGV[3 * i - 1], SHORTEST_LEASE, LONGEST_LEASE)
  if not lease then
    return out_of_bounds()
  end
  local known = redis.pcall('hmget', key, owner, 'holdfast:kind')
  -- If another program has overwritten the key, only the permits of this semaphore are gone.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local ends, longest, token = permit(not known.err and known[1] or '')
  local mine = ends and ends > now and token == ARGV[3 * i]
  if mine and ends < now + lease then
    write_permit(key, known[2], owner, now, lease, math.max(longest, lease), token)
  end
  answers[i] = mine and 1 or 0
end
return answers
