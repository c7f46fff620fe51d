-- The answer to a request for another kind of lock than the one that is held.

-- The name of the kind that is not noted in the hash.
local PLAIN = 'plain (re-entrant)'

local function kind_of(fields)
  return fields['mode'] and 'read/write' or fields['holdfast:kind'] or PLAIN
end

local function wrong_kind(what, held_as, asked_for)
  return redis.error_reply('WRONGKIND holdfast: ' .. what .. ' is held as a ' .. held_as .. ', asked for as a ' .. asked_for)
end
