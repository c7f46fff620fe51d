-- Renews the leases of locks that still belong to their owners. Does not shorten the time to live of a lock.
--
-- KEYS[i]     a lock (hash)
-- ARGV[3i-2]  its owner
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    first token of its grant. If Redis has lost this grant, a later grant may have the same owner id
-- returns for each key 1 if it is renewed, 0 if it does not belong to the owner with that token; 3 or more if it is renewed and its holder is asked
--         to stop: 3 and how many µs ago somebody asked
--
-- A server without memory allows PEXPIRE as the first write, and then all later commands.

--#include leases
--#include whole

local answers = {}
for i, key in ipairs(KEYS) do
  local lease = ARGV[3 * i - 1]
  local asked = whole(lease, SHORTEST_LEASE, LONGEST_LEASE)
  if not asked then
    --#include out-of-bounds
    return out_of_bounds()
  end
  local known = redis.pcall('hmget', key, ARGV[3 * i - 2], 'holdfast:token', 'holdfast:lease', 'holdfast:stop')
  -- WRONGTYPE: another program has overwritten this key. The lock is not renewed, and the others are. Any other error ends the script.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local mine = not known.err and known[1] and known[2] == ARGV[3 * i]
  if mine and known[3] == lease then
    -- The usual case. A key lives no longer than it was given.
    redis.call('pexpire', key, lease)
  elseif mine then
    local given = tonumber(known[3]) or 0
    if given <= asked or redis.call('pttl', key) < asked then
      redis.call('pexpire', key, lease)
      if given < asked then
        -- A release granted the lock for a shorter time, or its holder requests a longer lease.
        redis.pcall('hset', key, 'holdfast:lease', lease)
        -- Sets the end again: see "Ends come last" in the wire contract.
        redis.call('pexpire', key, lease)
      end
    end
  end
  answers[i] = mine and 1 or 0
  if mine and known[4] then
    local clock
    --#include time
    answers[i] = 3 + math.max(0, tonumber(clock) - (tonumber(known[4]) or 0))
  end
end
return answers
