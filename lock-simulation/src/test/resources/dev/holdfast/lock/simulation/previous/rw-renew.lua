-- Renews holds of readers and writers that are still theirs, each with its lock. A key that lives longer already is left alone.
--
-- KEYS[2i-1]  the lock (hash)
-- KEYS[2i]    the hold (string)
-- ARGV[2i-1]  the holder's field
-- ARGV[2i]    lease in ms
-- returns for each hold 1 if renewed, 0 if it is over
--
-- Only commands that a server without memory still allows.

local answers = {}
for i = 1, #KEYS, 2 do
  local lease = tonumber(ARGV[i + 1])
  if not lease or lease % 1 ~= 0 or lease < 10 or lease > 86400000 then
    return redis.error_reply('ERR holdfast: an argument is out of bounds')
  end
  local mine = redis.pcall('hexists', KEYS[i], ARGV[i])
  if type(mine) == 'table' then
    if not string.find(mine.err, 'WRONGTYPE') then
      return mine
    end
    -- Somebody wrote something else there: the lock is gone, and only this one.
    mine = 0
  end
  if mine == 1 then
    local left = redis.call('pttl', KEYS[i + 1])
    if left == -2 then
      mine = 0
    else
      if left < lease then
        redis.call('pexpire', KEYS[i + 1], lease)
      end
      if redis.call('pttl', KEYS[i]) < lease then
        redis.call('pexpire', KEYS[i], lease)
      end
    end
  end
  answers[#answers + 1] = mine
end
return answers
