-- The held permits of a semaphore: a hash with a field for each holder.
--
-- <owner>           '<end>:<lease>:<token>': the end of the permit in ms of the server's epoch, its longest lease in ms, the first token of its grant
-- holdfast:kind     semaphore, or fair-semaphore
-- holdfast:end      a time before which no permit ends
-- holdfast:longest  the longest lease of any permit

--#include common
--#include clock
--#include owner

-- Returns the number of permits that an owner assumes.
local function permits_of(owner)
  return tonumber(string.match(owner, ':(%d+)$') or '')
end

local function is_semaphore(kind)
  return kind == 'semaphore' or kind == 'fair-semaphore'
end

-- Returns the end, the lease and the token of a permit, or nil if the text is not a permit.
local function permit(text)
  local ends, lease, token = string.match(text or '', '^(%d+):(%d+):(%d+)$')
  return tonumber(ends or ''), tonumber(lease or ''), token
end

-- Writes a permit that ends after the given ms. Sets the end of the key first, because a server without memory allows PEXPIRE, and then all later
-- commands.
local function write_permit(key, kind, owner, now, ms, lease, token)
  local left = redis.call('pttl', key)
  local known = redis.call('hmget', key, 'holdfast:end', 'holdfast:longest')
  local rest = decimal(math.max(left, ms))
  redis.call('pexpire', key, rest)
  redis.call('hset', key, owner, decimal(now + ms) .. ':' .. decimal(lease) .. ':' .. token, 'holdfast:kind', kind,
    'holdfast:end', decimal(math.min(tonumber(known[1] or '') or now + ms, now + ms)),
    'holdfast:longest', decimal(math.max(tonumber(known[2] or '') or 0, lease)))
  -- Sets the end of a new key, which has none yet. For an existing key, see "Ends come last" in the wire contract.
  redis.call('pexpire', key, rest)
end
