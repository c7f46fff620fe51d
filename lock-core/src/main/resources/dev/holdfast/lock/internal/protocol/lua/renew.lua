-- Renews locks that are still their owners'. A key that lives longer already is left alone.
--
-- KEYS[i]     the lock (hash)
-- ARGV[3i-2]  its owner
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    the grant's first token
-- returns for each key 1 if renewed, 0 if it is not the owner's
--
-- The first write is a command that a server without memory still allows; from then on it allows all.

local answers = {}
for i, key in ipairs(KEYS) do
  local lease = tonumber(ARGV[3 * i - 1])
  if not lease or lease % 1 ~= 0 or lease < 10 or lease > 86400000 then
    return redis.error_reply('ERR holdfast: an argument is out of bounds')
  end
  local known = redis.pcall('hmget', key, ARGV[3 * i - 2], 'holdfast:token', 'holdfast:lease')
  -- Where somebody wrote something else, the lock is gone, and only this one.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local mine = not known.err and known[1] and known[2] == ARGV[3 * i]
  if mine and redis.call('pttl', key) < lease then
    redis.call('pexpire', key, lease)
    if (tonumber(known[3]) or 0) < lease then
      -- A release granted it for less.
      redis.pcall('hset', key, 'holdfast:lease', ARGV[3 * i - 1])
    end
  end
  answers[i] = mine and 1 or 0
end
return answers
