-- Frees the lock of any holder. A plain or fair one is granted to the next in its line, a semaphore to as many as may have it; of a read/write
-- lock those are told whose turn it is.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the last number drawn in this slot (string)
-- KEYS[3] the line (list of places, the next one first)
-- KEYS[4] until when each place is taken for alive (sorted set, ms of the server's epoch)
-- ARGV[1] the lock's channel for Redisson's clients
-- ARGV[2] 1 in a cluster, where the shard is told
-- ARGV[3] channel of a read/write lock
-- ARGV[4] what the names of a read/write lock's holds begin with
-- ARGV[5] what the names of clients' channels begin with
-- returns {1} if anybody had it, {0} if not
--
-- Begins with rw-line-head.lua.
-- Begins with semaphore-head.lua.

if redis.call('hlen', KEYS[1]) == 0 then
  return {0}
end
local known = redis.call('hmget', KEYS[1], 'mode', 'holdfast:kind')
if known[1] then
  local fields = redis.call('hgetall', KEYS[1])
  for i = 1, #fields, 2 do
    for hold = holds_of(fields[i + 1]), 1, -1 do
      redis.call('del', ARGV[4] .. ':' .. fields[i] .. ':rwlock_timeout:' .. hold)
    end
  end
end
redis.call('del', KEYS[1])
-- All readers may enter.
tell(ARGV[2], known[1] and ARGV[3] or ARGV[1], known[1] and '1' or '0')
local line = {lock = KEYS[1], places = KEYS[3], deadlines = KEYS[4]}
local to = {token = KEYS[2], kind = known[2] or '', channel = ARGV[1], cluster = ARGV[2], wake = ARGV[5], seen = 0}
if known[1] then
  after_release(tell_next, line, to, true)
elseif is_semaphore(known[2]) then
  to.kind = known[2] == 'fair-semaphore' and 'fair' or ''
  after_release(serve_permits, line, to, known[2], server_millis())
else
  after_release(serve, line, to)
end
return {1}
