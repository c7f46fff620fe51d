-- Reads the arguments that all acquiring scripts have, and refuses what is out of bounds.
--
-- ARGV[1] owner; of a read/write lock its field
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[4] for how many ms the owner's place counts as alive; 0 for an owner that does not wait

--#include common

-- The lifetime of a place whose argument is left out. The fraction says that the client's subscription is on its way, see lib/queue.lua.
local USUAL_LIFETIME = '5000.25'

local owner = ARGV[1]
local seen = whole(ARGV[2], 0, 9007199254740990)
local ttl = whole(ARGV[3], SHORTEST_LEASE, LONGEST_LEASE)
local lifetime = tonumber(ARGV[4] or USUAL_LIFETIME)
if owner == '' or not (seen and ttl and lifetime) or lifetime * 4 % 1 ~= 0 or lifetime < 0 or lifetime > LONGEST_LEASE then
  return out_of_bounds()
end
