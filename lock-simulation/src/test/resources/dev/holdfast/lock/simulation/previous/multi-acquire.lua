-- Takes several plain locks if nobody has any of them, and draws one block of fencing tokens for all.
--
-- KEYS[1] the last number drawn in this slot (string)
-- KEYS[i] all others: the locks (hashes)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits; 0 if it does not. Its fraction says
--         whether the client hears messages, see line-head.lua
-- returns {1, first token} if all locks are the owner's, {0, ms that the last of their holders has left, that holder, -1, 1, its
--         lock} if not: no release grants this
--
-- An owner that waits has one place, in the line of the lock whose holder was named.
--
-- Each key is written as the script for one lock writes it. All or nothing: everything is looked at before the first write. A
-- second run for the same owner answers as the first did and shortens nothing; where a part was lost in between and is free, it
-- is taken again with a new token, since somebody may have had it.
--
-- Begins with line-head.lua.
-- Begins with acquire-head.lua.

local patience = lifetime(ARGV[4])
if not patience then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local lefts = {}
local cuts = {}
local mine = 0
local token = 0
local kept = 0
local wait = -2
local holder = ''
local held = ''
local holds = {}
for i = 2, #KEYS do
  local left = redis.call('pttl', KEYS[i])
  if left ~= -2 then
    local fields = fields_of(KEYS[i])
    if fields['mode'] or fields['holdfast:kind'] then
      local kind = fields['mode'] and 'read/write' or fields['holdfast:kind']
      return redis.error_reply(
        'WRONGKIND holdfast: the key ' .. KEYS[i] .. ' is held as a ' .. kind .. ' lock, asked for as a plain (re-entrant) one')
    end
    local cap = tonumber(fields['holdfast:lease'] or '')
    if fields[ARGV[1]] then
      mine = mine + 1
      token = math.max(token, tonumber(fields['holdfast:token'] or '') or 0)
      kept = math.max(kept, cap or 0)
    else
      local cut = cut_to(cap, left)
      if cut ~= left then
        cuts[KEYS[i]] = cut
        left = cut
      end
      -- It makes no sense to ask again before all of them are over; a key without an end is over last.
      if wait == -2 or (wait ~= -1 and (left == -1 or left > wait)) then
        wait = left
        held = KEYS[i]
        holds = fields
        holder = holder_of(fields)
      end
    end
  end
  lefts[i] = left
end
-- Which locks may have a line. One of them may be left to Redisson's clients.
local lined = {}
if wait == -2 and patience > 0 then
  for i = 2, #KEYS do
    local line = line_of(KEYS[i])
    lined[i] = redis.call('exists', line.deadlines) == 1
    local ms = lined[i] and left_to_redisson(line)
    if ms and ms > wait then
      wait = ms
      held = KEYS[i]
    end
  end
end
if wait ~= -2 then
  if patience > 0 then
    local now = server_millis()
    for i = 2, #KEYS do
      local line = line_of(KEYS[i])
      if KEYS[i] ~= held then
        leave(line, ARGV[1])
      else
        local _, entered = enter(line, ARGV[1], now, now + patience, now + patience)
        if entered then
          note_line(held, holds)
        end
      end
    end
  end
  -- Behind those writes: see "Ends come last" in docs/protocol.md.
  for key, cap in pairs(cuts) do
    redis.call('pexpire', key, cap)
  end
  return {0, wait, holder, -1, 1, held}
end
-- First: a server without memory refuses it, and nothing behind a write that it allows.
if mine < #KEYS - 1 or token == 0 then
  token = draw(KEYS[1], ARGV[3])
end
if patience > 0 then
  for i = 2, #KEYS do
    if lined[i] then
      leave(line_of(KEYS[i]), ARGV[1])
    end
  end
end
local cap = decimal(math.max(ttl, kept))
for i = 2, #KEYS do
  redis.call('hset', KEYS[i], ARGV[1], 1, 'holdfast:token', decimal(token), 'holdfast:lease', cap)
  local expiring = lefts[i] < ttl and redis.pcall('pexpire', KEYS[i], ARGV[2])
  if type(expiring) == 'table' then
    -- Better no lock than one without an end, and none rather than some.
    for j = 2, i do
      redis.pcall('del', KEYS[j])
    end
    return expiring
  end
end
return {1, token}
