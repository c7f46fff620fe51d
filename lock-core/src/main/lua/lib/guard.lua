-- Calls the function guarded with the keys and arguments behind those of the lease, if the owner has all locks of the lease. Reads, and writes
-- nothing. So a refusal leaves everything as it was.

--#include permits
--#include holds

-- Returns the first token of the grant under which a field has a lock. Returns nil or false if the field does not have the lock.
local function first_token(lock, field, known)
  if not known[1] then
    return nil
  end
  if known[3] then
    return string.match(redis.call('get', hold_key(lock, field, 1)) or '', ':(%d+)$')
  end
  local ends, _, token = permit(known[1])
  if ends then
    return ends > server_millis() and token
  end
  return known[2]
end

local locks = whole(ARGV[3], 1, #KEYS)
if not locks then
  return out_of_bounds()
end
for i = 1, locks do
  local known = redis.pcall('hmget', KEYS[i], ARGV[1], 'holdfast:token', 'mode')
  -- WRONGTYPE: another program has overwritten this key, so the lock is gone. Any other error ends the script.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  if known.err or first_token(KEYS[i], ARGV[1], known) ~= ARGV[2] then
    return redis.error_reply('NOTHELD holdfast: the lock is not held by this owner with this token')
  end
end
local keys = {}
local args = {}
for i = locks + 1, #KEYS do
  keys[i - locks] = KEYS[i]
  -- The write would end the locks on which it relies, or let tokens repeat.
  local own = string.sub(KEYS[i], 1, 14) == 'holdfast:token'
  for j = 1, locks do
    own = own or KEYS[i] == KEYS[j]
  end
  if own then
    return out_of_bounds()
  end
end
for i = 4, #ARGV do
  args[i - 3] = ARGV[i]
end
return guarded(keys, args)
