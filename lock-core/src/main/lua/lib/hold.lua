-- Writes the owner's hold and returns the token. A part of a block that has the locals lock, owner, kind, token and has_waiters. The release looks at the
-- queue only if the hold says that there may be waiters.
local text = string.format('%.0f', token)
if kind == 'fair' then
  redis.call('hset', lock, owner, '1', 'holdfast:token', text, 'holdfast:lease', ARGV[3], 'holdfast:kind', kind)
elseif has_waiters then
  redis.call('hset', lock, owner, '1', 'holdfast:token', text, 'holdfast:lease', ARGV[3], 'holdfast:line', '1')
else
  redis.call('hset', lock, owner, '1', 'holdfast:token', text, 'holdfast:lease', ARGV[3])
end
local ended = redis.pcall('pexpire', lock, ARGV[3])
if ended ~= 1 then
  -- Removes the lock, because a lock must not be left without an end.
  redis.pcall('del', lock)
  return ended
end
return token
