-- Reads and changes the hash of a held lock.

--#include is-owner

-- Returns the time to live that a key should have: the present one, or the lease if the key lives longer than its lease or does not expire. A key can
-- live too long because the server's clock was set back or a script stopped halfway.
local function cut_to(lease, left)
  return lease and (left < 0 or left > lease) and lease or left
end

-- Cuts the time to live of a key if it exceeds the lease. Returns the time to live.
local function capped(key, left, lease)
  local cut = cut_to(lease, left)
  if cut ~= left then
    redis.call('pexpire', key, cut)
  end
  return cut
end

local function fields_of(key)
  local fields = {}
  local all = redis.call('hgetall', key)
  for i = 1, #all, 2 do
    fields[all[i]] = all[i + 1]
  end
  return fields
end

-- Returns the owner of a lock that has one holder, or an empty text if there is none.
local function holder_of(fields)
  for field in pairs(fields) do
    if is_owner(field) then
      return field
    end
  end
  return ''
end

-- Notes in a held lock that its queue has waiters. Without this note, the release looks at the queue only if a release has granted the lock.
local function note_waiters(key, fields)
  if fields['holdfast:token'] and not (fields['holdfast:granted'] or fields['holdfast:line']) then
    redis.call('hset', key, 'holdfast:line', '1')
  end
end
