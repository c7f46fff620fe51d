-- Parses owner ids. An owner id is '<client>:<thread>:<grant>', followed by ':<ms>' for the lease that a release may grant to it (3000 if left out),
-- and for a semaphore also by ':<permits>'. An owner id of Redisson is '<client>:<thread>'. The field of a writer is its owner id followed by
-- ':write'.

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

-- Returns the number of permits that an owner assumes.
local function permits_of(owner)
  return tonumber(string.match(owner, ':(%d+)$') or '')
end

local function is_writer(field)
  return string.sub(field, -6) == ':write'
end

local function owner_of(field)
  return is_writer(field) and string.sub(field, 1, -7) or field
end

-- Returns whether a field belongs to a writer of another library. Such a writer has no hold of its own: it holds the lock as long as the lock exists.
local function is_foreign_writer(field)
  return is_writer(field) and not string.find(field, ':%d+:%d+:write$')
end

-- Returns the owner under which a lock stays taken for a minimum hold after its release. No client has this id. So a renewal that was sent before the
-- release and arrives after it does not find its owner.
local function kept_owner(field)
  return is_writer(field) and owner_of(field) .. ':0:write' or field .. ':0'
end

-- Returns whether a field of a hash is an owner, and not a note of this library.
local function is_owner(field)
  return string.sub(field, 1, 9) ~= 'holdfast:'
end
