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
