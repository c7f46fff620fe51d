-- Writes a text beside a lock again that Redis may have lost, while the slot is closed. The client that asks has written it, and knows no later one.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] grace: '<grace in ms>:<client's clock in ms>'
-- ARGV[2] for how many ms the text stays
-- ARGV[3] token of the holder that wrote it
-- ARGV[4] the text
-- returns 1 if it is written, 0 if the slot grants locks, 2 if it is closed and has this text or that of a later holder

--#include record
--#include order
--#include reign

local token = string.match(ARGV[3], '^%d+$')
if not whole(ARGV[2], 1, LONGEST_KEEP) or not token then
  return out_of_bounds()
end
if not closed_for(term_of(KEYS[2], ARGV[1]), 0) then
  return 0
end
local key = record_key(KEYS[1])
local last = read_record(key)
if last and not is_before(last, token) then
  return 2
end
redis.call('set', key, token .. ':' .. ARGV[4], 'px', ARGV[2])
return 1
