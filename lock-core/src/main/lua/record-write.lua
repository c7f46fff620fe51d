-- Writes the text that is kept beside a plain or a fair lock, if the owner has the lock and no later holder of its grant has written.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] for how many ms the text stays
-- ARGV[3] first token of its grant
-- ARGV[4] token of the holder, which may have received the grant from another one in its client
-- ARGV[5] the text
-- returns 1 if it is written, 0 if the lock is not the owner's with that token

--#include record
--#include order

-- The longest text in bytes.
local LONGEST_TEXT = 4096

local token = string.match(ARGV[4], '^%d+$')
if not whole(ARGV[2], 1, LONGEST_KEEP) or not token or #token > 19 or #ARGV[5] > LONGEST_TEXT then
  return out_of_bounds()
end
local known = redis.call('hmget', KEYS[1], ARGV[1], 'holdfast:token')
if not known[1] or known[2] ~= ARGV[3] then
  return 0
end
local key = record_key(KEYS[1])
local last = read_record(key)
if last and is_before(token, last) then
  return 0
end
redis.call('set', key, token .. ':' .. ARGV[5], 'px', ARGV[2])
return 1
