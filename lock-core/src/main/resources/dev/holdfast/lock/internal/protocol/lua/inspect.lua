-- Tells who holds a lock, and who waits in its line.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue of a fair lock (list of owners, the next one first)
-- ARGV[1] what the names of a read/write lock's holds begin with
-- returns {ms it has left, kind, how many holders, owner, holds, token, …, owner in the queue, …}. A token is empty if it is unknown. A
--         holder whose hold or permit has ended is none, though its field may still be there. A writer's own reading is no hold beside it,
--         and the line of a read/write lock is not told
--
-- Begins with permit-head.lua.

local fields = redis.call('hgetall', KEYS[1])
local known = redis.call('hmget', KEYS[1], 'holdfast:kind', 'holdfast:token')
local queue = redis.call('lrange', KEYS[2], 0, -1)
local now = server_millis()
local kind = 'REENTRANT'
local holders = {}

-- Those of Redisson have one colon.
local function is_ours(owner)
  return string.match(owner, ':.*:') ~= nil
end

local function add(owner, holds, token)
  holders[#holders + 1] = owner
  holders[#holders + 1] = holds
  holders[#holders + 1] = token
end

-- What a hold of a read/write lock says, nil if it is over.
local function said(field, holds)
  local says = nil
  for hold = tonumber(holds) or 0, 1, -1 do
    says = redis.call('get', ARGV[1] .. ':' .. field .. ':rwlock_timeout:' .. hold) or says
  end
  return says
end

-- Adds those of one side. A writer of another library has no hold of its own.
local function add_side(writes)
  for i = 1, #fields, 2 do
    local writer = string.match(fields[i], '^(.*):write$')
    local says = said(fields[i], fields[i + 1])
    if writes == (writer ~= nil) and (says or (writer and not is_ours(writer))) then
      add(writer or fields[i], fields[i + 1], string.match(says or '', '^[^:]*:(.*)$') or '')
    end
  end
end

if redis.call('hexists', KEYS[1], 'mode') == 1 then
  kind = 'WRITE'
  queue = {}
  add_side(true)
  if #holders == 0 then
    kind = 'READ'
    add_side(false)
  end
elseif is_semaphore(known[1]) then
  kind = string.match(known[1], '^fair') and 'FAIR_SEMAPHORE' or 'SEMAPHORE'
  for i = 1, #fields, 2 do
    local ends, _, token = permit(fields[i + 1])
    if ends and ends > now and string.sub(fields[i], 1, 9) ~= 'holdfast:' then
      add(fields[i], '1', token)
    end
  end
else
  for i = 1, #fields, 2 do
    if #holders == 0 and string.sub(fields[i], 1, 9) ~= 'holdfast:' then
      add(fields[i], fields[i + 1], known[2] or '')
    end
  end
  -- Redisson's holds do not tell their kind, but only its fair locks have a queue.
  local foreign = false
  for _, place in ipairs(queue) do
    foreign = foreign or not is_ours(place)
  end
  if known[1] == 'fair' or (foreign and #holders > 0 and not is_ours(holders[1])) then
    kind = 'FAIR'
  end
end

local answer = {redis.call('pttl', KEYS[1]), kind, #holders / 3}
for _, told in ipairs(holders) do
  answer[#answer + 1] = told
end
for _, place in ipairs(queue) do
  answer[#answer + 1] = place
end
return answer
