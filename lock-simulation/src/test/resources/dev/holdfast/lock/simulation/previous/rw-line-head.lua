-- The line of a read/write lock. A place is told to ask; the release of a writer tells all readers up to the next writer, one that frees
-- the lock for a writer tells that one.
--
-- Begins with line-head.lua.

-- For how long a place that was told to ask keeps others from a lock that is free for it.
local TURN = 1000

local function is_writer(place)
  return string.sub(place, -6) == ':write'
end

-- The first place that is another's, and the ms it has left; nil if there is none, or the asker is first.
local function first_other(line, to, asker)
  to.asker = asker
  local first = walk(line, to, function(one)
    return one
  end)
  if first and first.place ~= asker then
    return first.place, first.left
  end
end

-- How many places one script tells. The readers of a client have one place.
local MOST_TOLD = 1000

-- Tells those whose turn it is: a writer if the lock is free, else and before that all readers up to the first writer. Answers whether a writer
-- was told.
local function tell_next(line, to, free)
  local now = server_millis()
  local readers = false
  local writer_told = false
  to.most = MOST_TOLD
  walk(line, to, function(one)
    local writer = is_writer(one.place)
    if writer and (readers or not free) then
      return true
    end
    if one.left > TURN then
      set_deadline(line, one.place, now + TURN + (one.left % 1 > 0 and 0.75 or 0))
    end
    tell(to.cluster, one.channel, writer and string.sub(one.place, 1, -7) or one.place)
    readers = not writer
    writer_told = writer
    return writer or nil
  end)
  return writer_told
end

