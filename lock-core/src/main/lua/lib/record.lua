-- The text that is kept beside a lock: '<token>:<text>', with the token of the holder that wrote it.

--#include common

-- The longest time to keep a text, in ms: ten years.
local LONGEST_KEEP = 315360000000

local function record_key(lock)
  return 'holdfast:record:' .. tagged(lock)
end

-- The token and the text; nil if there is none.
local function read_record(key)
  local found = redis.call('get', key)
  local colon = found and string.find(found, ':', 1, true)
  if not colon then
    return nil, nil
  end
  return string.sub(found, 1, colon - 1), string.sub(found, colon + 1)
end
