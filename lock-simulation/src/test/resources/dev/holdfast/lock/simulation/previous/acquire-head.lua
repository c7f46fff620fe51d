-- The first part of every script that acquires: it checks the arguments that all of them have.
--
-- ARGV[1] owner, or the owner's field
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
--
-- Begins with number-head.lua.
-- Begins with draw-head.lua.

local ttl = whole(ARGV[2], 10, 86400000)
local seen = whole(ARGV[3], 0, 9007199254740990)
if ARGV[1] == '' or not (ttl and seen) then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

-- A time to live beyond what its holder asked for (the server's clock was set back, a script died half way) is cut to that.
local function cut_to(cap, left)
  return cap and (left < 0 or left > cap) and cap or left
end

local function capped(key, left, cap)
  local cut = cut_to(cap, left)
  if cut ~= left then
    redis.call('pexpire', key, cut)
  end
  return cut
end

-- A lock's fields and their values.
local function fields_of(key)
  local fields = {}
  local all = redis.call('hgetall', key)
  for i = 1, #all, 2 do
    fields[all[i]] = all[i + 1]
  end
  return fields
end

-- Notes in a held lock that its line has waiters: the release of a plain lock serves it only then. That of a granted one does in any case.
local function note_line(key, fields)
  if fields['holdfast:token'] and not (fields['holdfast:granted'] or fields['holdfast:line']) then
    redis.call('hset', key, 'holdfast:line', 1)
  end
end

-- The owner of a lock that is not a read/write lock.
local function holder_of(fields)
  for field in pairs(fields) do
    if string.sub(field, 1, 9) ~= 'holdfast:' then
      return field
    end
  end
  return ''
end

