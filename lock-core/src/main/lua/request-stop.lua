-- Asks the holder of a plain or fair lock to stop. The holder's next renewal returns the request. The request ends with the hash, and so with the
-- grant.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] first token of its grant. So a request that is late, or repeated, does not reach the next holder
-- returns 1 if the request is noted, 0 if the lock does not belong to the owner with that token

--#include common
--#include clock

local lock = KEYS[1]
local token = whole(ARGV[2], 0, 9223372036854775807)
if not token then
  return out_of_bounds()
end
local known = redis.call('hmget', lock, ARGV[1], 'holdfast:token')
if not known[1] or known[2] ~= ARGV[2] then
  return 0
end
-- A token contains the time at which it was drawn. A client may have handed over the grant in the meantime, so it compares the age of the grant.
local age = math.floor((server_micros() - token / 1024) / 1000)
redis.call('hset', lock, 'holdfast:stop', decimal(math.min(math.max(age, 0), LONGEST_LEASE)))
return 1
