-- Tells who holds a lock, and who waits in its line.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] its line (list of places, the next one first)
-- ARGV[1] what the names of a read/write lock's holds begin with
-- ARGV[2] the number of places to tell
-- returns {ms it has left, kind, how many holders there are, how many places, how many holders follow, owner, holds, token, …, owner of a place,
--         …}. At most 20 holders follow. A token is empty if it is unknown. A holder whose hold or permit has ended is none, though its field may
--         still be there; of more than 20 holders it may be counted. A writer's own reading is no hold beside it. 0 places if ARGV[2] is 0
--
-- The cost does not depend on how many hold the lock, or wait.
--
-- Begins with permit-head.lua.

-- How many holders are told, and how many fields are looked at for them.
local MOST_HOLDERS = 20
local MOST_FIELDS = 200

local most = tonumber(ARGV[2])
if not most or most % 1 ~= 0 or most < 0 or most > 1000000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local known = redis.call('hmget', KEYS[1], 'holdfast:kind', 'holdfast:token', 'mode')
local now = server_millis()
local kind = 'REENTRANT'
local writers = {}
local holders = {}

-- Those of Redisson have one colon.
local function is_ours(owner)
  return string.match(owner, ':.*:') ~= nil
end

local function add(side, owner, holds, token)
  side[#side + 1] = {owner, holds, token}
end

-- What a hold of a read/write lock says, nil if it is over.
local function said(field, holds)
  local says = nil
  for hold = holds_of(holds), 1, -1 do
    says = redis.call('get', ARGV[1] .. ':' .. field .. ':rwlock_timeout:' .. hold) or says
  end
  return says
end

-- Looks at fields until a visitor answers true, but not at many. Answers whether those were all.
local function each_field(visit)
  local cursor = '0'
  local seen = 0
  repeat
    local page = redis.call('hscan', KEYS[1], cursor, 'count', MOST_HOLDERS)
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

-- A writer of another library has no hold of its own.
local function look_at_reader_or_writer(field, holds)
  if field == 'mode' or #holders >= MOST_HOLDERS then
    return #holders >= MOST_HOLDERS
  end
  local writer = string.match(field, '^(.*):write$')
  local says = said(field, holds)
  if says or (writer and not is_ours(writer)) then
    add(writer and writers or holders, writer or field, holds, string.match(says or '', '^[^:]*:(.*)$') or '')
  end
  return #writers > 0
end

local others = 0
local count = 0
local all = true
if known[3] then
  others = 1
  all = each_field(look_at_reader_or_writer)
  kind = #writers > 0 and 'WRITE' or 'READ'
  if #writers > 0 then
    holders = writers
    all = true
  end
elseif is_semaphore(known[1]) then
  others = 3
  kind = string.match(known[1], '^fair') and 'FAIR_SEMAPHORE' or 'SEMAPHORE'
  all = each_field(function(field, text)
    local ends, _, token = permit(text)
    if ends and ends > now and string.sub(field, 1, 9) ~= 'holdfast:' then
      count = count + 1
      if count <= MOST_HOLDERS then
        add(holders, field, '1', token)
      end
    end
  end)
else
  -- It has one holder and a few fields.
  local fields = redis.call('hgetall', KEYS[1])
  for i = 1, #fields, 2 do
    if #holders == 0 and string.sub(fields[i], 1, 9) ~= 'holdfast:' then
      add(holders, fields[i], fields[i + 1], known[2] or '')
    end
  end
end
count = all and math.max(count, #holders) or redis.call('hlen', KEYS[1]) - others

local places = most > 0 and redis.call('lrange', KEYS[2], 0, most - 1) or {}
local length = #places
if length == most and most > 0 then
  local counted = redis.pcall('llen', KEYS[2])
  length = type(counted) == 'number' and counted or length
end
if kind == 'REENTRANT' then
  -- Redisson's holds do not tell their kind, but only its fair locks have a queue.
  local foreign = false
  for _, place in ipairs(places) do
    foreign = foreign or not is_ours(place)
  end
  if known[1] == 'fair' or (foreign and #holders > 0 and not is_ours(holders[1][1])) then
    kind = 'FAIR'
  end
end

local answer = {redis.call('pttl', KEYS[1]), kind, count, length, #holders}
for _, holder in ipairs(holders) do
  for _, said_of_it in ipairs(holder) do
    answer[#answer + 1] = said_of_it
  end
end
for _, place in ipairs(places) do
  answer[#answer + 1] = known[3] and string.match(place, '^(.*):write$') or place
end
return answer
