-- Takes back the mark of a writer that has stopped waiting, and tells the readers that it kept out.
--
-- KEYS[1] the mark of a waiting writer (string)
-- ARGV[1] client
-- ARGV[2] channel
-- ARGV[3] 1 in a cluster, where the shard is told
-- returns {1} if there was one of this client, {0} if not
--
-- Begins with tell-head.lua.

local mark = redis.call('get', KEYS[1])
if not mark or string.match(mark, ':(.*)$') ~= ARGV[1] then
  return {0}
end
redis.call('del', KEYS[1])
tell(ARGV[3], ARGV[2], '1')
return {1}
