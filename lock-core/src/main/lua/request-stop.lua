-- Asks the holder of a plain or fair lock to stop. The holder's next renewal returns the request. The request ends with the hash, and so with the
-- grant.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] first token of its grant. So a request that is late, or repeated, does not reach the next holder
-- returns 1 if the request is noted, 0 if the lock does not belong to the owner with that token

--#include whole

local lock = KEYS[1]
if not whole(ARGV[2], 0, 9223372036854775807) then
  --#include out-of-bounds
  return out_of_bounds()
end
local known = redis.call('hmget', lock, ARGV[1], 'holdfast:token')
if not known[1] or known[2] ~= ARGV[2] then
  return 0
end
-- A renewal returns how long ago that was: the client may hand over the grant, and the next holder was not asked.
local clock
--#include time
redis.call('hset', lock, 'holdfast:stop', clock)
return 1
