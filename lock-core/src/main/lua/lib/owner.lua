-- Parses owner ids. An owner id is '<client>:<thread>:<grant>', followed by ':<ms>' for the lease that a release may grant to it (3000 if left out),
-- and for a semaphore also by ':<permits>'. An owner id of Redisson is '<client>:<thread>'.

local FIRST_LEASE = '3000'

local function is_redisson(owner)
  return string.find(owner, '^[^:]*:[^:]*$') ~= nil
end

local function client_of(owner)
  return string.match(owner, '^[^:]*')
end

-- Returns the lease in ms, as text, that a release may grant to a place, or '0' if the owner must ask for each grant.
local function first_lease_of(owner)
  return string.match(owner, '^[^:]*:[^:]*:[^:]*:(%d+)') or FIRST_LEASE
end
