-- The line of a read/write lock. A place is told to ask; the release of a writer tells all readers up to the next writer, one that frees
-- the lock for a writer tells that one.
--
-- Begins with line-head.lua.

-- For how long a place that was told to ask keeps others from a lock that is free for it.
local TURN = 1000

local function is_writer(place)
  return string.sub(place, -6) == ':write'
end

local function channel_of(to, place)
  return to.wake .. (string.match(place, '^([^:]*)') or '')
end

-- Walks over the places that are alive and whose clients listen, the first in line first, until the visitor returns true.
local function walk(line, to, visit)
  local now = server_millis()
  local counts = {}
  local deaf = 0
  local at = 0
  while deaf < MOST_DEAF and at < MOST_PASSED_OVER do
    local place = redis.call('lrange', line.places, at, at)[1]
    if not place then
      return
    end
    local deadline = tonumber(redis.call('zscore', line.deadlines, place))
    if not deadline or deadline <= now then
      drop(line, place)
    else
      local channel = channel_of(to, place)
      if counts[channel] == nil then
        counts[channel] = listeners(to.cluster, channel)
        deaf = deaf + (counts[channel] == 0 and 1 or 0)
      end
      if counts[channel] ~= 0 and visit(place, deadline - now, channel) then
        return
      end
      at = at + 1
    end
  end
end

-- The first place that is another's, and the ms it has left; nil if there is none, or the asker is first.
local function first_other(line, to, asker)
  local first = nil
  local ms = 0
  walk(line, to, function(place, left)
    if place ~= asker then
      first = place
      ms = left
    end
    return true
  end)
  return first, ms
end

-- Tells those whose turn it is: a writer if the lock is free, else and before that all readers up to the first writer. Answers whether a writer
-- was told.
local function tell_next(line, to, free)
  local now = server_millis()
  local readers = false
  local writer_told = false
  walk(line, to, function(place, left, channel)
    local writer = is_writer(place)
    if writer and (readers or not free) then
      return true
    end
    redis.call('zadd', line.deadlines, decimal(now + math.min(left, TURN)), place)
    tell(to.cluster, channel, writer and string.sub(place, 1, -7) or place)
    readers = not writer
    writer_told = writer
    return writer
  end)
  return writer_told
end

