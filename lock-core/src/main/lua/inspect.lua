-- Returns who holds a lock, and who waits in its queue.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] how many places to name
-- returns {ms left, kind, number of holders, number of places, number of holders that follow, 1 if the holder is asked to stop or else 0, owner,
--         holds, token, …, owner of a place, …}. At most 20 holders follow. A token is empty if it is unknown. A holder whose hold or permit has
--         ended is left out, but may be included in the number of holders if there are more than 20. A writer's own reading is not a separate hold.
--         The number of places is 0 if ARGV[1] is 0
--
-- The cost does not depend on the number of holders or waiters.

--#include permits
--#include writer
--#include is-owner
--#include holds

-- The largest number of holders to name, and the largest number of fields to visit for them.
local MOST_HOLDERS = 20
local MOST_FIELDS = 200

local lock = KEYS[1]
local most = whole(ARGV[1], 0, 1000000)
if not most then
  return out_of_bounds()
end
local known = redis.call('hmget', lock, 'holdfast:kind', 'holdfast:token', 'mode', 'holdfast:stop')
local now = server_millis()
local kind = 'REENTRANT'
local writers = {}
local holders = {}

local function add(side, owner, holds, token)
  side[#side + 1] = {owner, holds, token}
end

-- Returns the text of a hold of a read/write lock, or nil if all holds of this field have ended.
local function text_of(field, count)
  local text = nil
  for number = holds_of(count), 1, -1 do
    text = redis.call('get', hold_key(lock, field, number)) or text
  end
  return text
end

-- Visits fields until the visitor returns true, but at most a limited number. Returns whether all fields were visited.
local function each_field(visit)
  local cursor = '0'
  local seen = 0
  repeat
    local page = redis.call('hscan', lock, cursor, 'count', MOST_HOLDERS)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      seen = seen + 1
      if seen > MOST_FIELDS or visit(page[2][i], page[2][i + 1]) then
        return false
      end
    end
  until cursor == '0'
  return true
end

local function add_reader_or_writer(field, count)
  if field == 'mode' or #holders >= MOST_HOLDERS then
    return #holders >= MOST_HOLDERS
  end
  local text = text_of(field, count)
  if text or is_foreign_writer(field) then
    add(is_writer(field) and writers or holders, owner_of(field), count, string.match(text or '', '^[^:]*:(.*)$') or '')
  end
  return #writers > 0
end

-- The number of fields that are not owners.
local others = 0
local count = 0
local all = true
if known[3] then
  others = 1
  all = each_field(add_reader_or_writer)
  kind = #writers > 0 and 'WRITE' or 'READ'
  if #writers > 0 then
    holders = writers
    all = true
  end
elseif is_semaphore(known[1]) then
  others = 3
  kind = known[1] == 'semaphore' and 'SEMAPHORE' or 'FAIR_SEMAPHORE'
  all = each_field(function(field, text)
    local ends, _, token = permit(text)
    if ends and ends > now and is_owner(field) then
      count = count + 1
      if count <= MOST_HOLDERS then
        add(holders, field, '1', token)
      end
    end
  end)
else
  -- This lock has one holder and few fields.
  local fields = redis.call('hgetall', lock)
  for i = 1, #fields, 2 do
    if #holders == 0 and is_owner(fields[i]) then
      add(holders, fields[i], fields[i + 1], known[2] or '')
    end
  end
end
count = all and math.max(count, #holders) or redis.call('hlen', lock) - others

local queue = 'redisson_lock_queue:' .. tagged(lock)
local places = most > 0 and redis.call('lrange', queue, 0, most - 1) or {}
local length = #places
if length == most and most > 0 then
  local counted = redis.pcall('llen', queue)
  length = type(counted) == 'number' and counted or length
end
if kind == 'REENTRANT' then
  -- A hold of Redisson does not show its kind, but only Redisson's fair locks have a queue.
  local foreign = false
  for _, place in ipairs(places) do
    foreign = foreign or is_redisson(place)
  end
  if known[1] == 'fair' or (foreign and #holders > 0 and is_redisson(holders[1][1])) then
    kind = 'FAIR'
  end
end

local answer = {redis.call('pttl', lock), kind, count, length, #holders, known[4] and 1 or 0}
for _, holder in ipairs(holders) do
  for _, part in ipairs(holder) do
    answer[#answer + 1] = part
  end
end
for _, place in ipairs(places) do
  answer[#answer + 1] = known[3] and owner_of(place) or place
end
return answer
