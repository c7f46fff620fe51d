-- The fields of a read/write lock's owners. The field of a writer is its owner id followed by ':write'.

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
