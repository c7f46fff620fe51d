-- Reads the arguments that all acquiring scripts share, and refuses arguments that are out of bounds.
--
-- ARGV[1] owner; for a read/write lock, the owner's field
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the owner's place counts as alive; 0 for an owner that does not wait

-- The usual case of a script comes first and makes no function, so this part makes none.

--#include leases

-- Locals cost less than globals.
local redis, ARGV = redis, ARGV

-- The lifetime of a place if the argument is left out. Its fraction says that no messages arrive yet: see lib/queue.lua.
local USUAL_LIFETIME = 5000.5

local owner = ARGV[1]
local seen = tonumber(ARGV[2])
local ttl = tonumber(ARGV[3])
local lifetime = tonumber(ARGV[4] or USUAL_LIFETIME)
if owner == '' or not (seen and ttl and lifetime)
    or seen % 1 ~= 0 or seen < 0 or seen > 9007199254740990
    or ttl % 1 ~= 0 or ttl < SHORTEST_LEASE or ttl > LONGEST_LEASE
    or lifetime * 4 % 1 ~= 0 or lifetime < 0 or lifetime > LONGEST_LEASE then
  --#include out-of-bounds
  return out_of_bounds()
end
