-- Grants several plain locks to the owner if no other owner has any of them, and draws one block of fencing tokens for all. Otherwise, an owner that
-- waits has one place, in the queue of the lock whose holder is returned.
--
-- KEYS[i] the locks (hashes); behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] highest number drawn that this client has seen
-- ARGV[3] time to live in ms: the lease, or the minimum hold if that is longer
-- ARGV[4] how many ms the owner's place counts as alive; 0 for an owner that does not wait. lib/queue.lua explains its fraction
-- ARGV[5] grace: '<grace in ms>:<client's clock in ms>'; left out for a client without one
-- returns the first token if the owner has all locks; or {0, ms left, holder, -1, 1, lock} for the holder that ends last, and its lock;
--         or {0, ms left, empty, -1, flags} with 4 added to flags if the slot is closed
--
-- Each lock is written as in the script for one lock. All locks are granted or none, so the script reads all of them before its first write. A second
-- run for the same owner returns the same answer and shortens nothing. If one of the locks was lost in the meantime and is free, it is granted again
-- with a new token, because another owner may have had it.

--#include arguments
--#include common
--#include keys
--#include held
--#include kinds
--#include redisson-turn
--#include token
--#include reign
--#include enter
--#include closed

local locks, token_key = locks_and_token_key(KEYS)
local closed = ARGV[5] and closed_for(term_of(token_key, ARGV[5]), seen)
if closed then
  return not_yet(queue_of(locks[1]), closed)
end
token_key = token_key or 'holdfast:token'
local lefts = {}
local cuts = {}
local mine = 0
local token = 0
local longest = ttl
-- How many ms are left of the holder that ends last; -2 if there is no holder.
local wait = -2
local holder = ''
local blocker = nil
local blocker_fields = {}
for i, lock in ipairs(locks) do
  local left = redis.call('pttl', lock)
  if left ~= -2 then
    local fields = fields_of(lock)
    if fields['mode'] or fields['holdfast:kind'] then
      return wrong_kind('the key ' .. lock, kind_of(fields) .. ' lock', PLAIN .. ' one')
    end
    local lease = tonumber(fields['holdfast:lease'] or '')
    if fields[owner] then
      mine = mine + 1
      token = math.max(token, tonumber(fields['holdfast:token'] or '') or 0)
      longest = math.max(longest, lease or 0)
    else
      local cut = cut_to(lease, left)
      if cut ~= left then
        cuts[lock] = cut
        left = cut
      end
      -- Another request is useless before all holders have ended. A key without an end counts as the last one.
      if wait == -2 or (wait ~= -1 and (left == -1 or left > wait)) then
        wait = left
        blocker = lock
        blocker_fields = fields
        holder = holder_of(fields)
      end
    end
  end
  lefts[i] = left
end
-- The existing queues. One of the locks may be left to Redisson's clients.
local queues = {}
if wait == -2 and lifetime > 0 then
  for _, lock in ipairs(locks) do
    local queue = queue_of(lock)
    if redis.call('exists', queue.deadlines) == 1 then
      queues[#queues + 1] = queue
      local ms = left_to_redisson(queue)
      if ms and ms > wait then
        wait = ms
        blocker = lock
      end
    end
  end
end
if blocker then
  if lifetime > 0 then
    local now = server_millis()
    for _, lock in ipairs(locks) do
      local queue = queue_of(lock)
      if lock ~= blocker then
        leave(queue, owner)
      else
        local _, entered = enter(queue, owner, now, now + lifetime, now + lifetime)
        if entered then
          note_waiters(lock, blocker_fields)
        end
      end
    end
  end
  -- Cuts the times to live after those writes: see "Ends come last" in the wire contract.
  for lock, cut in pairs(cuts) do
    redis.call('pexpire', lock, cut)
  end
  return {0, wait, holder, -1, 1, blocker}
end
-- Draws before any other write: a server without memory refuses the draw, but would allow it after another write.
if mine < #locks or token == 0 then
  token = draw(token_key, seen)
end
for _, queue in ipairs(queues) do
  leave(queue, owner)
end
for i, lock in ipairs(locks) do
  redis.call('hset', lock, owner, 1, 'holdfast:token', decimal(token), 'holdfast:lease', decimal(longest))
  local ended = lefts[i] < ttl and redis.pcall('pexpire', lock, ARGV[3])
  if type(ended) == 'table' then
    -- Removes all locks, because a lock must not be left without an end, and the owner must not have only some of the locks.
    for written = 1, i do
      redis.pcall('del', locks[written])
    end
    return ended
  end
end
return token
