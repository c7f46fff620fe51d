-- What a release does if its lock stays taken.

--#include writer

-- Keeps a lock for a minimum hold, under an owner id that no client has.
local function keep_taken(lock, owner, keep)
  redis.call('pexpire', lock, keep)
  redis.call('hset', lock, kept_owner(owner), 1, 'holdfast:lease', keep)
  redis.call('hdel', lock, owner)
  -- Sets the end again: see "Ends come last" in the wire contract.
  redis.call('pexpire', lock, keep)
end
