-- What every script begins with that tells others of what it has done.

-- Tells those who listen to a channel, in a cluster (a '1') those of the shard. Answers how many heard of it, or -1 if it could not be said:
-- that hides from nobody what was done.
local function tell(cluster, channel, message)
  local heard = cluster == '1' and redis.pcall('spublish', channel, message) or redis.pcall('publish', channel, message)
  if type(heard) == 'table' and cluster == '1' and string.find(heard.err, 'Unknown') then
    -- Before Redis 7 a cluster knows no shards.
    heard = redis.pcall('publish', channel, message)
  end
  return type(heard) == 'number' and heard or -1
end

