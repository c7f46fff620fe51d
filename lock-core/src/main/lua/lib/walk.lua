-- Walks over the queue from its head. Skips places whose clients would not learn of a grant or a message, and removes dead places.

--#include queue
--#include clock
--#include owner
--#include common

-- The largest number of places that one script reads in a row (unless queue.most is set), and the largest number that it skips. Later scripts
-- continue behind them.
local MOST_SEEN = 64

-- After so many skipped places, the largest number of further places that a script passes over without a look at their deadlines, because they belong
-- to clients that it knows not to be subscribed; how many it reads at once; and how often it goes on behind them.
local MOST_PASSED = 2000
local PASSED_AT_ONCE = 250
local MOST_ROUNDS = 4

-- The time left, in ms, below which a place whose client is not subscribed counts as dead. Clients ask at least every 2.5 s, and each request sets
-- the deadline of the place to 5 s or more. So a client with less time left has not asked for 3 s.
local GONE = 2000

-- Whether it cannot be known which clients are subscribed, because a right is missing.
local cannot_know = false

-- Removes a dead place, even if only one of the two keys contains it.
local function drop(queue, place)
  redis.call('zrem', queue.deadlines, place)
  redis.call('lrem', queue.places, '1', place)
end

-- Returns whether the client of a place asks again soon, although no messages reach it.
local function asks_soon(deadline, now)
  local ms = NOT_LISTENING[deadline % 1]
  return ms and deadline - now > LIFETIME - ms
end

-- Adds to 'counts' the number of subscribers of each channel, or false if it cannot be known. A script counts before it grants, because a grant that
-- was published cannot be taken back.
local function count_listeners(queue, channels, counts)
  if #channels == 0 then
    return
  end
  local counted = redis.pcall('pubsub', queue.cluster and 'shardnumsub' or 'numsub', unpack(channels))
  if counted.err then
    -- A cluster before Redis 7 has no sharded channels, and counts only the subscribers at one node.
    cannot_know = cannot_know or not string.find(counted.err, 'nknown')
  end
  for i, channel in ipairs(channels) do
    counts[channel] = not counted.err and tonumber(counted[2 * i])
  end
end

-- Reads some places and removes the dead ones. Stops at the place of the asker. Returns the living places, and how many places were read.
local function read_places(queue, now, from, size, counts)
  local living = {}
  local uncounted = {}
  local places = redis.call('lrange', queue.places, from, from + size - 1)
  for _, place in ipairs(places) do
    local deadline = deadline_of(queue, place)
    if place == queue.asker then
      living[#living + 1] = {place = place, certain = true}
      break
    elseif not deadline or deadline <= now then
      drop(queue, place)
    elseif is_redisson(place) then
      living[#living + 1] = {place = place, left = deadline - now}
    else
      local channel = queue.wake .. client_of(place)
      local certain = asks_soon(deadline, now)
      if not certain and counts[channel] == nil then
        counts[channel] = true
        uncounted[#uncounted + 1] = channel
      end
      living[#living + 1] = {place = place, left = deadline - now, channel = channel, certain = certain}
    end
  end
  count_listeners(queue, uncounted, counts)
  return living, #places
end

-- Returns how many places, from an index on, belong to clients that are known not to be subscribed.
local function silent_places(queue, from, counts)
  local silent = 0
  repeat
    local places = redis.call('lrange', queue.places, from + silent, from + silent + PASSED_AT_ONCE - 1)
    for _, place in ipairs(places) do
      if place == queue.asker or is_redisson(place) or counts[queue.wake .. client_of(place)] ~= 0 then
        return silent
      end
      silent = silent + 1
    end
  until #places < PASSED_AT_ONCE or silent >= MOST_PASSED
  return silent
end

-- Calls a visitor for each living place whose client will learn of a grant or a message, until the visitor returns true. A visited place has these
-- fields:
--
-- place    the owner id of the next grant
-- left     how many ms are left until the deadline; nil for the asker
-- channel  the channel of the client; nil for the asker, and for Redisson's clients, whose subscriptions are not known
-- certain  whether the client learns of a grant for certain
-- removed  set by a visitor that has removed the place
--
-- Skips places whose clients are not subscribed, and removes those that count as dead.
-- returns the place at which the visitor stopped, or nil; and whether there are more places than one script can visit
local function walk(queue, visit)
  local now = server_millis()
  local most = queue.most or MOST_SEEN
  local counts = {}
  local passed = 0
  local rounds = 0
  local seen = 0
  local in_vain = 0
  local size = 1
  while seen < most and in_vain < MOST_SEEN do
    local living, read = read_places(queue, now, passed, size, counts)
    in_vain = in_vain + read - #living
    for _, one in ipairs(living) do
      local listeners = one.channel and counts[one.channel]
      if listeners == 0 and not one.certain then
        in_vain = in_vain + 1
        if one.left < GONE then
          drop(queue, one.place)
          one.removed = true
        end
      else
        one.certain = one.certain or (listeners and true)
        if visit(one) then
          return one, false
        end
      end
      passed = passed + (one.removed and 0 or 1)
    end
    if read < size then
      return nil, false
    end
    seen = seen + read
    size = math.min(8 * size, MOST_SEEN, most - seen)
    if in_vain >= MOST_SEEN and rounds < MOST_ROUNDS then
      -- One client that has died may have left thousands of places. Others may follow.
      local silent = silent_places(queue, passed, counts)
      if silent > 0 then
        passed = passed + silent
        rounds = rounds + 1
        seen = 0
        in_vain = 0
        size = 1
      end
    end
  end
  return nil, true
end
