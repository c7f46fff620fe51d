-- Renews the leases of readers and writers whose holds have not ended, and those of their locks. Does not shorten the time to live of a key.
--
-- KEYS[i]     a lock (hash)
-- ARGV[2i-1]  the field of a holder of that lock
-- ARGV[2i]    lease in ms
-- returns for each key 1 if the hold is renewed, 0 if it has ended
--
-- A server without memory allows PEXPIRE as the first write, and then all later commands.

--#include common
--#include holds

local answers = {}
for i, lock in ipairs(KEYS) do
  local field = ARGV[2 * i - 1]
  local hold = hold_key(lock, field, 1)
  local lease = whole(ARGV[2 * i], SHORTEST_LEASE, LONGEST_LEASE)
  if not lease then
    return out_of_bounds()
  end
  local text = redis.pcall('hexists', lock, field)
  if text == 1 then
    text = redis.pcall('get', hold)
  end
  -- If another program has overwritten the key, only this hold is gone.
  if type(text) == 'table' and not string.find(text.err, 'WRONGTYPE') then
    return text
  end
  local mine = type(text) == 'string'
  if mine then
    local given, token = string.match(text, '^(%d+):(%d+)$')
    given = tonumber(given or '') or lease
    if given <= lease or redis.call('pttl', hold) < lease then
      redis.call('pexpire', hold, lease)
    end
    if given < lease then
      redis.pcall('set', hold, ARGV[2 * i] .. ':' .. token, 'keepttl')
      -- Sets the end again: see "Ends come last" in the wire contract.
      redis.call('pexpire', hold, lease)
    end
    if redis.call('pttl', lock) < lease then
      redis.call('pexpire', lock, lease)
    end
  end
  answers[i] = mine and 1 or 0
end
return answers
