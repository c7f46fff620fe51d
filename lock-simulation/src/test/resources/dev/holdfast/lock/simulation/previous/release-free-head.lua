-- The usual release: nobody waits in the line, and the lock is freed at once. It comes before what only the other cases need.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[3] ms to keep it from everybody still; left out, or 0, frees it now
-- ARGV[4] kind: left out for a plain lock, or fair
--
-- Begins with tell-head.lua.

local keep = tonumber(ARGV[3] or '0')
local kind = ARGV[4] or ''
if not keep or keep % 1 ~= 0 or keep < 0 or keep > 86400000 then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local tag = string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}'
-- How many of Redisson's clients heard that the lock is free, if they were told here.
local told = nil
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:granted', 'holdfast:line')
if known[1] and keep == 0 then
  if kind == '' and not known[2] and not known[3] then
    redis.call('del', KEYS[1])
    told = tell(KEYS[2] and '1' or '0', 'redisson_lock__channel:' .. tag, '0')
    if told <= 0 then
      return told
    end
  elseif kind == 'fair' and redis.call('pttl', 'redisson_lock_queue:' .. tag) == -2 then
    redis.call('del', KEYS[1])
    return 0
  end
end

