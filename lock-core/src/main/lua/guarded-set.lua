-- Sets a key, if the owner still has its locks. In a user's script, the user's text is the body of the function below.
--
-- KEYS[i] the locks (hashes), and behind them the key
-- ARGV[1] owner; for a read/write lock, the owner's field
-- ARGV[2] first token of its grant
-- ARGV[3] how many of the keys are locks
-- ARGV[4] the value
-- ARGV[5] for how many ms the value stays, 0 for a value without an end
-- returns 1, or the error NOTHELD if a lock is not the owner's with that token

local function guarded()
  if ARGV[5] == '0' then
    redis.call('set', KEYS[#KEYS], ARGV[4])
  else
    redis.call('set', KEYS[#KEYS], ARGV[4], 'px', ARGV[5])
  end
  return 1
end

--#include guard
