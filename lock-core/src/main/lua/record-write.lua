-- Writes the text that is kept beside a plain or a fair lock, if the owner has the lock and no later holder of its grant has written.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] for how many ms the text stays
-- ARGV[3] first token of its grant
-- ARGV[4] token of the holder, which may have received the grant from another one in its client
-- ARGV[5] the text
-- ARGV[6] optional: the text that must be there still, empty for none
-- returns 1 if it is written, 0 if the lock is not the owner's with that token; with ARGV[6] {1, ms of the server's epoch} if it is written, and
--   {2, ms, text} with the text that is there if that is another one

--#include record
--#include order
--#include clock

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
local last, text = read_record(key)
if last and is_before(token, last) then
  return 0
end
-- What this command has written itself, when it was sent before, is no other text.
if ARGV[6] and (text or '') ~= ARGV[6] and not (last == token and text == ARGV[5]) then
  return {2, server_millis(), text or ''}
end
redis.call('set', key, token .. ':' .. ARGV[5], 'px', ARGV[2])
if ARGV[6] then
  return {1, server_millis()}
end
return 1
