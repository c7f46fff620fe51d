-- Renews the leases of readers and writers whose holds have not ended, and those of their locks. Does not shorten the time to live of a key.
--
-- KEYS[i]     a lock (hash)
-- ARGV[3i-2]  the field of a holder of that lock
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    first token of its grant
-- returns for each key 1 if the hold is renewed, 0 if it has ended
--
-- A server without memory allows PEXPIRE as the first write, and then all later commands.

--#include leases
--#include whole
--#include hold-key

local answers = {}
for i, lock in ipairs(KEYS) do
  local field = ARGV[3 * i - 2]
  local hold = hold_key(lock, field, 1)
  local lease = whole(ARGV[3 * i - 1], SHORTEST_LEASE, LONGEST_LEASE)
  if not lease then
    --#include out-of-bounds
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
  local given, token = string.match(type(text) == 'string' and text or '', '^(%d+):(%d+)$')
  local mine = token and token == ARGV[3 * i]
  if mine then
    given = tonumber(given)
    if given <= lease or redis.call('pttl', hold) < lease then
      redis.call('pexpire', hold, lease)
    end
    if given < lease then
      redis.pcall('set', hold, ARGV[3 * i - 1] .. ':' .. token, 'keepttl')
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
