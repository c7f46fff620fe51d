-- What most scripts need: numbers, names beside a lock, and messages.

-- The shortest and the longest lease, in ms.
local SHORTEST_LEASE = 10
local LONGEST_LEASE = 86400000

-- The number that a text stands for; false unless it is a whole number within these bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

local function out_of_bounds()
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end

-- Writes all digits of a whole number; tostring rounds to fourteen.
local function decimal(number)
  return string.format('%.0f', number)
end

-- The lock's name with a hash tag, so that a name made of it falls into the lock's slot.
local function tagged(lock)
  return string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
end

-- Splits the keys of a script for several locks. Returns the locks and, in a cluster, the key of the last number drawn in the slot, which comes last.
local function locks_and_token_key(keys)
  local locks = {}
  for _, key in ipairs(keys) do
    if string.sub(key, 1, 15) == 'holdfast:token:' then
      return locks, key
    end
    locks[#locks + 1] = key
  end
  return locks, nil
end

-- Publishes a message, in a cluster to the clients of the shard. Returns how many clients received it, or -1 if Redis refused it: a refused message
-- must not hide what the script has done.
local function publish(cluster, channel, message)
  local received = redis.pcall(cluster and 'spublish' or 'publish', channel, message)
  if cluster and type(received) == 'table' and string.find(received.err, 'Unknown') then
    -- Before Redis 7 a cluster has no messages of shards.
    received = redis.pcall('publish', channel, message)
  end
  return type(received) == 'number' and received or -1
end
