-- Lengthens the leases of readers and writers that are still in, and those of their locks. A key that lives longer already is left alone.
--
-- KEYS[2i-1]  a lock (hash)
-- KEYS[2i]    the hold of a reader or writer (string)
-- ARGV[2i-1]  the holder's field
-- ARGV[2i]    lease in ms
-- returns for each hold 1 if it is renewed, 0 if it is over
--
-- A server without memory allows PEXPIRE as the first write, and then every command.

--#include number

local answers = {}
for i = 1, #KEYS, 2 do
  local lock, hold = KEYS[i], KEYS[i + 1]
  local lease = whole(ARGV[i + 1], 10, 86400000)
  if not lease then
    return redis.error_reply('ERR holdfast: an argument is out of bounds')
  end
  local held = redis.pcall('hexists', lock, ARGV[i])
  if held == 1 then
    held = redis.pcall('get', hold)
  end
  -- If another program wrote something else there, this lock is gone, and no other.
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE') then
    return held
  end
  local mine = type(held) == 'string'
  if mine then
    local given, token = string.match(held, '^(%d+):(%d+)$')
    given = tonumber(given or '') or lease
    if given <= lease or redis.call('pttl', hold) < lease then
      redis.call('pexpire', hold, lease)
    end
    if given < lease then
      redis.pcall('set', hold, ARGV[i + 1] .. ':' .. token, 'keepttl')
      -- Again: see "Ends come last" in docs/protocol.md.
      redis.call('pexpire', hold, lease)
    end
    if redis.call('pttl', lock) < lease then
      redis.call('pexpire', lock, lease)
    end
  end
  answers[#answers + 1] = mine and 1 or 0
end
return answers
