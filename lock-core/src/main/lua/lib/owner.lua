-- The grammar of owner ids: '<client>:<thread>:<grant>', then ':<ms>' for the lease that a release may grant to it, 3000 if left out, and for a
-- semaphore ':<permits>'. Redisson's owners are '<client>:<thread>'. The field of a writer is its owner id and ':write'.

local FIRST_LEASE = '3000'

local function is_redisson(owner)
  return string.find(owner, '^[^:]*:[^:]*$') ~= nil
end

local function client_of(owner)
  return string.match(owner, '^[^:]*')
end

-- The lease in ms that a release may grant to a place, as text; '0' if the owner must ask for itself.
local function first_lease_of(owner)
  return string.match(owner, '^[^:]*:[^:]*:[^:]*:(%d+)') or FIRST_LEASE
end

-- How many permits there are as far as an owner knows.
local function permits_of(owner)
  return tonumber(string.match(owner, ':(%d+)$') or '')
end

local function is_writer(field)
  return string.sub(field, -6) == ':write'
end

local function owner_of(field)
  return is_writer(field) and string.sub(field, 1, -7) or field
end

-- Whether a field is a writer's of another library. Such a writer has no hold of its own: it holds the lock as long as the lock exists.
local function is_foreign_writer(field)
  return is_writer(field) and not string.find(field, ':%d+:%d+:write$')
end

-- The owner under which a lock stays taken for a minimum hold after its release. No client has that id, so a renewal that was sent before the
-- release and arrives after it does not find its own.
local function kept_owner(field)
  return is_writer(field) and owner_of(field) .. ':0:write' or field .. ':0'
end

-- Whether a field of a hash is an owner, and not a note of this library.
local function is_owner(field)
  return string.sub(field, 1, 9) ~= 'holdfast:'
end
