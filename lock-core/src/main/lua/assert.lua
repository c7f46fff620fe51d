-- Renews the leases of plain and fair locks for holders with a grace. While the slot is closed, also writes a hold again that Redis has lost, unless a
-- later grant has the lock.
--
-- KEYS[i]     a lock (hash); behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1]     grace: '<grace in ms>:<client's clock in ms>:<ms>', for which the master before may serve on
-- ARGV[5i-3]  its owner
-- ARGV[5i-2]  lease in ms
-- ARGV[5i-1]  first token of its grant
-- ARGV[5i]    how many ms are left of the lease
-- ARGV[5i+1]  kind: empty for a plain lock, or fair
-- returns for each key 1 if it is renewed, 0 if it does not belong to the owner with that token, 2 if it does but is not prolonged yet; 3 or
--         more if it is renewed and its holder is asked to stop, as by the script for holders without a grace
--
-- Only a later grant has a greater token, so what is there with a lesser one is a hold whose end Redis has lost.

--#include spoken
--#include held
--#include queue

local answers = {}
for i, key in ipairs(locks) do
  local at = 5 * i - 3
  local owner, lease, token, rest = lease_at(at)
  if not owner then
    return out_of_bounds()
  end
  local kind = ARGV[at + 4]
  local ms, answer = prolonged(lease, rest)
  local known = redis.pcall('hmget', key, owner, 'holdfast:token', 'holdfast:lease', 'holdfast:kind', 'mode', 'holdfast:stop')
  -- WRONGTYPE: another program has overwritten this key. Any other error ends the script.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  if known.err then
    answer = 0
  elseif known[1] and known[2] == token then
    if redis.call('pttl', key) < ms then
      redis.call('pexpire', key, ms)
    end
    if (tonumber(known[3]) or 0) < ms then
      redis.pcall('hset', key, 'holdfast:lease', decimal(ms))
      -- Sets the end again: see "Ends come last" in the wire contract.
      redis.call('pexpire', key, ms)
    end
    if answer == 1 and known[6] then
      answer = 3 + math.max(0, server_micros() - (tonumber(known[6]) or 0))
    end
  elseif closed and ms >= 1 and (redis.call('exists', key) == 0
    or (known[2] and (known[4] or '') == kind and not known[5] and is_before(known[2], token))) then
    redis.call('del', key)
    redis.call('hset', key, owner, 1, 'holdfast:token', token, 'holdfast:lease', decimal(ms), 'holdfast:line', 1)
    if kind ~= '' then
      redis.call('hset', key, 'holdfast:kind', kind)
    end
    local ended = redis.pcall('pexpire', key, ms)
    if type(ended) == 'table' then
      -- Removes the lock, because a lock must not be left without an end.
      redis.pcall('del', key)
      return ended
    end
    -- The place from which the owner received the lock may be there again.
    leave(queue_of(key, token_key), owner)
  else
    answer = 0
  end
  answers[i] = answer
end
return answers
