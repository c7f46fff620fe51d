-- Takes a plain or a fair lock if it is free for the owner, and draws a block of fencing tokens. Otherwise the owner enters the lock's line,
-- or stays in it, if it waits.
--
-- KEYS[1] the lock (hash); the keys of its line follow from its name
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits: 5000.25 if it is left out; 0 if it does not wait.
--         Its fraction says whether the client hears messages, see line-head.lua
-- ARGV[5] kind: left out for a plain lock, or fair
-- returns the first token if the lock is the owner's from now on, {1, first token, ms left} if it was already, or
--         {0, ms left, holder, last number drawn, near} if it is not: near is 1 if the owner is near the head of the line, plus 2 if a
--         Redisson client has the lock, or its turn, before it. The last two are 0 for an owner that does not wait
--
-- State is written, never counted up: a second run for the same owner finds its own grant or its own place. It does not prolong the grant.
-- Lua does not roll back, so everything is validated before the first write.
--
-- Begins with acquire-free-head.lua.
-- Begins with acquire-head.lua.
-- Begins with line-head.lua.

-- By how much a Redisson client lowers the deadline of everybody behind it when it takes the lock or gives up.
local REDISSON_STEP = 300000

-- So many places from the head are searched for Redisson's clients.
local SEARCHED = 64

-- A deadline that is later than this tells of Redisson's clients: a client of ours that waits for 100,000 locks has one of 40 s.
local FAR = 60000

local line = line_of(KEYS[1])
local left = redis.call('pttl', KEYS[1])
local fields = {}
local holder = nil
local goes_on = false

local theirs = left == -2 and kind == '' and patience > 0 and left_to_redisson(line)
if theirs then
  left = theirs
elseif left == -2 then
  local to = serving(line, KEYS[2], kind, seen)
  to.asker = owner
  local next, more = serve(line, to)
  goes_on = more
  if next == true then
    left = redis.call('pttl', KEYS[1])
    fields = fields_of(KEYS[1])
  elseif next and next ~= owner and kind == 'fair' then
    left = ms_until_passed(line, next, goes_on)
    holder = ''
  else
    -- First: a server without memory refuses it, and nothing behind a write that it allows.
    local token = draw(drawn_key, seen)
    leave(line, owner)
    return take(token, true)
  end
else
  fields = fields_of(KEYS[1])
  local names = {fair = 'fair', [''] = 'plain (re-entrant)'}
  local held_as = fields['holdfast:kind'] or ''
  if fields['mode'] or ((fields['holdfast:token'] or held_as ~= '') and held_as ~= kind) then
    return redis.error_reply('WRONGKIND holdfast: the key is held as a ' .. (fields['mode'] and 'read/write' or names[held_as] or held_as)
      .. ' lock, asked for as a ' .. names[kind] .. ' one')
  end
end
local cap = tonumber(fields['holdfast:lease'] or '')
if fields[owner] then
  return {1, tonumber(fields['holdfast:token'] or ''), capped(KEYS[1], left, cap)}
end

holder = holder or holder_of(fields)
local near = 0
local drawn = 0
local beside = false
if patience > 0 then
  drawn = tonumber(redis.call('get', drawn_key) or '0') or 0
  local now = server_millis()
  local deadline = now + patience
  local farthest = deadline
  if kind == 'fair' then
    -- Behind a Redisson client's deadline is one step further away for each of them, so that it is not lowered into the past. When they have
    -- gone in some other way, nobody needs such a deadline any more: the dead among us must not keep theirs.
    farthest = tonumber(redis.call('zrange', line.deadlines, -1, -1, 'withscores')[2]) or 0
    local far = farthest > now + FAR
    local some = redis.call('lrange', line.places, 0, SEARCHED - 1)
    local found = false
    for _, place in ipairs(some) do
      found = place == owner
      if found then
        break
      elseif is_redisson(place) then
        deadline = deadline + REDISSON_STEP
      elseif far then
        local present = tonumber(redis.call('zscore', line.deadlines, place) or '') or 0
        if present > deadline + FAR then
          set_deadline(line, place, math.floor(deadline) + present % 1)
        end
      end
    end
    if far and not found and #some == SEARCHED then
      -- In a longer line the farthest deadline stands for the Redisson clients that are not counted.
      deadline = math.max(deadline, math.floor(farthest) + patience % 1)
    end
  end
  local is_near, entered = enter(line, owner, now, deadline, math.max(farthest, deadline))
  near = goes_on and 1 or is_near
  if kind == 'fair' then
    -- Each Redisson client ahead has moved the deadline.
    beside = deadline > now + patience or is_redisson(holder)
  end
  if entered then
    note_line(KEYS[1], fields)
  end
end
-- Behind that write: see "Ends come last" in docs/protocol.md.
left = capped(KEYS[1], left, cap)
return {0, left, holder, drawn, near + (beside and 2 or 0)}
