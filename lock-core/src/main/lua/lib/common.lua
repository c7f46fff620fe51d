-- Functions that most scripts need: for numbers, for names derived from a lock, and for messages.

-- The shortest and the longest lease, in ms.
local SHORTEST_LEASE = 10
local LONGEST_LEASE = 86400000

-- Converts a text to a number. Returns false unless the number is whole and within the given bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

local function out_of_bounds()
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

-- Returns all digits of a whole number. The function tostring rounds to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end

-- Returns the lock's name with a hash tag, so that a name derived from it falls into the lock's slot.
local function tagged(lock)
  return string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
end

-- Publishes a message, in a cluster to the clients of the shard. Returns how many clients received it, or -1 if Redis refused it. The refusal is not
-- an error of the script, because an error would hide what the script has already done.
local function publish(cluster, channel, message)
  local received = redis.pcall(cluster and 'spublish' or 'publish', channel, message)
  if cluster and type(received) == 'table' and string.find(received.err, 'Unknown') then
    -- A cluster before Redis 7 has no sharded channels.
    received = redis.pcall('publish', channel, message)
  end
  return type(received) == 'number' and received or -1
end
