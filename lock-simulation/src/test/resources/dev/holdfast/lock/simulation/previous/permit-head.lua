-- The permits of a semaphore that are held: a hash with a field for each holder.
--
-- <owner>           '<end>:<lease>:<token>': the ms of the server's epoch at which the permit ends, the longest lease in ms that it was given, and
--                   the first token of its grant
-- holdfast:kind     semaphore, or fair-semaphore
-- holdfast:end      a moment in ms of the server's epoch before which no permit ends
-- holdfast:longest  the longest lease of any permit
--
-- The last part of an owner id is the number of permits that the semaphore has for this owner.
--
-- Begins with number-head.lua.
-- Begins with clock-head.lua.

local function is_semaphore(kind)
  return kind == 'semaphore' or kind == 'fair-semaphore'
end

local function permits_of(owner)
  return tonumber(string.match(owner, ':(%d+)$') or '')
end

-- The end, the lease and the token of a permit; nil if the text is none.
local function permit(text)
  local ends, lease, token = string.match(text or '', '^(%d+):(%d+):(%d+)$')
  return tonumber(ends or ''), tonumber(lease or ''), token
end

-- Writes a permit that ends after so many ms. The key's end is set first: a server without memory allows that, and from then on all; and a right
-- that is missing shows before there is anything to be left without an end.
local function write_permit(key, kind, owner, now, ms, lease, token)
  local left = redis.call('pttl', key)
  local known = redis.call('hmget', key, 'holdfast:end', 'holdfast:longest')
  local rest = decimal(math.max(left, ms))
  redis.call('pexpire', key, rest)
  redis.call('hset', key, owner, decimal(now + ms) .. ':' .. decimal(lease) .. ':' .. token, 'holdfast:kind', kind,
    'holdfast:end', decimal(math.min(tonumber(known[1] or '') or now + ms, now + ms)),
    'holdfast:longest', decimal(math.max(tonumber(known[2] or '') or 0, lease)))
  -- Again, for a new key, and see "Ends come last" in docs/protocol.md.
  redis.call('pexpire', key, rest)
end

