-- The grace after a loss of data. A master's reign begins when it is promoted, and when it starts: INFO names it as master_replid. In a new reign, and
-- after Redis has lost what it knew, a slot is closed at first: it grants nothing, so that those who hold its locks can say so.
--
-- holdfast:open:<reign>  exists while the slot grants locks in that reign
-- holdfast:reign         '<reign>:<server's ms>:<client's ms>:<grace>': the reign that a request has found, when by the clocks of both, and the longest
--                        grace in ms of those who asked since
--
-- In a cluster, both keys exist for each slot: holdfast:open:{n}:<reign> and holdfast:reign:{n}.

--#include clock

-- Returns what a script needs to know of the grace. The text is '<grace in ms>:<client's clock in ms>', of an assertion with ':<ms>' behind it: for
-- how long the master before may serve on.
local function term_of(token_key, text)
  local grace, client, serves = string.match(text or '', '^(%d+):(%d+):?(%d*)$')
  if not grace then
    error('holdfast: an argument is out of bounds', 0)
  end
  local reign = string.match(redis.call('info', 'replication'), 'master_replid:(%x+)')
  if not reign then
    error('holdfast: INFO replication does not tell master_replid, which failover-grace needs', 0)
  end
  local slot = string.sub(token_key or '', 15)
  return {
    grace = tonumber(grace),
    client = tonumber(client),
    serves = tonumber(serves),
    reign = reign,
    record = 'holdfast:reign' .. slot,
    opened = 'holdfast:open' .. slot .. ':',
    token = token_key or 'holdfast:token',
    -- A client's highest number comes from one slot only.
    comparable = not token_key
  }
end

local function begin(term)
  redis.call('set', term.record, term.reign .. ':' .. decimal(server_millis()) .. ':' .. decimal(term.client) .. ':' .. decimal(term.grace))
  return term.grace
end

-- Returns how many ms the slot stays closed, or nil if it grants locks. Begins the grace, or ends it.
local function closed_for(term, seen)
  local open = redis.call('get', term.opened .. term.reign)
  local last = tonumber(redis.call('get', term.token) or '') or 0
  if open and (not term.comparable or last >= seen) then
    return nil
  end
  if open then
    -- Numbers only grow, so Redis has lost the last one, and perhaps locks.
    redis.call('del', term.opened .. term.reign)
    return begin(term)
  end
  local reign, since, client, grace = string.match(redis.call('get', term.record) or '', '^(%x+):(%d+):(%d+):(%d+)$')
  if reign and reign ~= term.reign then
    redis.call('del', term.opened .. reign)
  end
  term.passed = reign == term.reign and math.min(server_millis() - tonumber(since), term.client - tonumber(client)) or -1
  if term.passed < 0 then
    term.passed = 0
    return begin(term)
  end
  if tonumber(grace) < term.grace then
    redis.call('set', term.record, reign .. ':' .. since .. ':' .. client .. ':' .. decimal(term.grace))
  end
  local left = math.max(term.grace, tonumber(grace)) - term.passed
  if left > 0 then
    return left
  end
  -- From now on, numbers are greater than any that the master before has drawn.
  redis.call('getset', term.token, decimal(math.max(server_micros(), last)))
  redis.call('set', term.opened .. term.reign, 1)
  return nil
end
