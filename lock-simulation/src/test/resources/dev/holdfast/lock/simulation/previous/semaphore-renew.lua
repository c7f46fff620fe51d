-- Makes permits that are still their owners' last at least so long from now on. One that lasts longer already is left alone.
--
-- KEYS[i]     the semaphore (hash)
-- ARGV[3i-2]  the permit's owner
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    the grant's first token
-- returns for each permit 1 if so, 0 if it is not the owner's
--
-- The first write is a command that a server without memory still allows; from then on it allows all.
--
-- Begins with permit-head.lua.

local answers = {}
local now = server_millis()
for i, key in ipairs(KEYS) do
  local lease = whole(ARGV[3 * i - 1], 10, 86400000)
  if not lease then
    return redis.error_reply('ERR holdfast: an argument is out of bounds')
  end
  local known = redis.pcall('hmget', key, ARGV[3 * i - 2], 'holdfast:kind')
  -- Where somebody wrote something else, the permits are gone, and only these.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local ends, longest, token = permit(not known.err and known[1] or '')
  local mine = ends and ends > now and token == ARGV[3 * i]
  if mine and ends < now + lease then
    write_permit(key, known[2], ARGV[3 * i - 2], now, lease, math.max(longest, lease), token)
  end
  answers[i] = mine and 1 or 0
end
return answers
