-- Renews locks that are still their owners'. A key that lives longer already is left alone.
--
-- KEYS[i]     the lock (hash)
-- ARGV[2i-1]  its owner
-- ARGV[2i]    lease in ms
-- returns for each key 1 if renewed, 0 if it is not the owner's
--
-- Only commands that a server without memory still allows.

local answers = {}
for i, key in ipairs(KEYS) do
  local lease = tonumber(ARGV[2 * i])
  local mine = redis.pcall('hexists', key, ARGV[2 * i - 1])
  if type(mine) == 'table' then
    if not string.find(mine.err, 'WRONGTYPE') then
      return mine
    end
    -- Somebody wrote something else there: the lock is gone, and only this one.
    mine = 0
  end
  if mine == 1 and redis.call('pttl', key) < lease then
    redis.call('pexpire', key, lease)
  end
  answers[i] = mine
end
return answers
