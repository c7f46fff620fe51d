-- Renews the leases of readers and writers with a grace. While the slot is closed, also writes a hold again that Redis has lost, unless a later grant
-- excludes it.
--
-- KEYS[i]     a lock (hash); behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1]     grace: '<grace in ms>:<client's clock in ms>:<ms>', for which the master before may serve on
-- ARGV[5i-3]  the field of a holder of that lock
-- ARGV[5i-2]  lease in ms
-- ARGV[5i-1]  first token of its grant
-- ARGV[5i]    how many ms are left of the lease
-- ARGV[5i+1]  kind: read or write
-- returns for each key 1 if the hold is renewed, 0 if it has ended, 2 if it has not but is not prolonged yet
--
-- A thread may read and write at once, but not write twice. Of two other holders that exclude each other, the one with the lesser token has ended.

--#include spoken
--#include rw
--#include held

local function thread_of(field)
  return string.match(field, '^[^:]*:[^:]*')
end

-- Returns whether a holder may have its hold again. Removes the holders whose ends Redis has lost.
local function gives_way(lock, field, token, writes)
  local ended = {}
  local all = redis.call('hgetall', lock)
  for i = 1, #all, 2 do
    local other = all[i]
    local both_write = writes and is_writer(other)
    if other ~= 'mode' and other ~= field and (both_write or (writes or is_writer(other)) and thread_of(other) ~= thread_of(field)) then
      local known = string.match(redis.call('get', hold_key(lock, other, 1)) or '', ':(%d+)$')
      if known and not is_before(known, token) or not known and (is_redisson(owner_of(other)) or is_foreign_writer(other)) then
        return false
      end
      ended[#ended + 1] = other
    end
  end
  for _, other in ipairs(ended) do
    redis.call('hdel', lock, other)
    redis.call('del', hold_key(lock, other, 1))
  end
  return true
end

local answers = {}
for i, lock in ipairs(locks) do
  local at = 5 * i - 3
  local field, lease, token, rest = lease_at(at)
  local kind = ARGV[at + 4]
  local writes = kind == 'write'
  if not field or not (writes or kind == 'read') then
    return out_of_bounds()
  end
  local ms, answer = prolonged(lease, rest)
  local hold = hold_key(lock, field, 1)
  local known = redis.pcall('hmget', lock, field, 'mode')
  local text = not known.err and known[1] and redis.pcall('get', hold)
  local problem = known.err or type(text) == 'table' and text.err
  if problem and not string.find(problem, 'WRONGTYPE') then
    return redis.error_reply(problem)
  end
  local given, held = string.match(not problem and text or '', '^(%d+):(%d+)$')
  if held == token then
    if redis.call('pttl', hold) < ms then
      redis.call('pexpire', hold, ms)
    end
    if tonumber(given) < ms then
      redis.pcall('set', hold, decimal(ms) .. ':' .. token, 'keepttl')
      -- Sets the end again: see "Ends come last" in the wire contract.
      redis.call('pexpire', hold, ms)
    end
    if redis.call('pttl', lock) < ms then
      redis.call('pexpire', lock, ms)
    end
  elseif closed and not problem and ms >= 1 and (known[2] or redis.call('exists', lock) == 0) and gives_way(lock, field, token, writes) then
    local mode = 'read'
    for other in pairs(fields_of(lock)) do
      mode = is_writer(other) and 'write' or mode
    end
    redis.call('set', hold, decimal(ms) .. ':' .. token, 'px', ms)
    local left = redis.call('pttl', lock)
    redis.call('hset', lock, 'mode', writes and 'write' or mode, field, 1)
    redis.call('pexpire', lock, decimal(math.max(left, ms)))
    leave(rw_queue_of(lock, token_key), field)
  else
    answer = 0
  end
  answers[i] = answer
end
return answers
