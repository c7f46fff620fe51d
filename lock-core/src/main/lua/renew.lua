-- Lengthens the leases of locks that are still their owners'. A lock that lives longer already is left alone.
--
-- KEYS[i]     a lock (hash)
-- ARGV[3i-2]  its owner
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    first token of its grant: an owner id alone may name a later grant, after Redis has lost this one
-- returns for each key 1 if it is renewed, 0 if it is not the owner's with that token
--
-- A server without memory allows PEXPIRE as the first write, and then every command.

local call = redis.call
local pcall = redis.pcall
local answers = {}
-- Nearly always one for all.
local checked = nil
local asked = nil
for i, key in ipairs(KEYS) do
  local lease = ARGV[3 * i - 1]
  if lease ~= checked then
    asked = tonumber(lease)
    if not asked or asked % 1 ~= 0 or asked < 10 or asked > 86400000 then
      return redis.error_reply('ERR holdfast: an argument is out of bounds')
    end
    checked = lease
  end
  local known = pcall('hmget', key, ARGV[3 * i - 2], 'holdfast:token', 'holdfast:lease')
  -- If another program wrote something else there, this lock is gone, and no other.
  if known.err and not string.find(known.err, 'WRONGTYPE') then
    return known
  end
  local mine = not known.err and known[1] and known[2] == ARGV[3 * i]
  if mine and known[3] == lease then
    -- The usual case. A key lives no longer than it was given.
    call('pexpire', key, lease)
  elseif mine then
    local given = tonumber(known[3]) or 0
    if given <= asked or call('pttl', key) < asked then
      call('pexpire', key, lease)
      if given < asked then
        -- A release granted it for less, or its holder wants more.
        pcall('hset', key, 'holdfast:lease', lease)
        -- Again: see "Ends come last" in docs/protocol.md.
        call('pexpire', key, lease)
      end
    end
  end
  answers[i] = mine and 1 or 0
end
return answers
