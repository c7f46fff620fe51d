-- Writes the text that is kept beside a plain or a fair lock, if the owner still has the lock.
--
-- KEYS[1] the lock (hash)
-- ARGV[1] owner
-- ARGV[2] first token of its grant
-- ARGV[3] how many of the keys are locks: 1
-- ARGV[4] token of the holder, which may have received the grant from another one in its client
-- ARGV[5] for how many ms the text stays
-- ARGV[6] the text
-- ARGV[7] optional: the text that must be there still, empty for none
-- returns 1 if it is written; with ARGV[7] {1, ms of the server's epoch} if it is written, and {2, ms, text} with the text that is there if that is
--   another one; or the error NOTHELD if the lock is not the owner's with that token

--#include record
--#include clock

-- The longest text in bytes.
local LONGEST_TEXT = 4096

local function guarded()
  local token = string.match(ARGV[4], '^%d+$')
  if not whole(ARGV[5], 1, LONGEST_KEEP) or not token or #token > 19 or #ARGV[6] > LONGEST_TEXT then
    return out_of_bounds()
  end
  local key = record_key(KEYS[1])
  local last, text = read_record(key)
  -- What this command has written itself, when it was sent before, is no other text.
  if ARGV[7] and (text or '') ~= ARGV[7] and not (last == token and text == ARGV[6]) then
    return {2, server_millis(), text or ''}
  end
  redis.call('set', key, token .. ':' .. ARGV[6], 'px', ARGV[5])
  if ARGV[7] then
    return {1, server_millis()}
  end
  return 1
end

--#include guard
