-- Renews locks that are still their owners'. A key that lives longer already is left alone.
--
-- KEYS[i]     the lock (hash)
-- ARGV[3i-2]  its owner
-- ARGV[3i-1]  lease in ms
-- ARGV[3i]    the grant's first token
-- returns for each key 1 if renewed, 0 if it is not the owner's
--
-- The first write is a command that a server without memory still allows; from then on it allows all.

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
  -- Where somebody wrote something else, the lock is gone, and only this one.
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
        -- A release granted it for less.
        pcall('hset', key, 'holdfast:lease', lease)
        -- Again: see "Ends come last" in docs/protocol.md.
        call('pexpire', key, lease)
      end
    end
  end
  answers[i] = mine and 1 or 0
end
return answers
