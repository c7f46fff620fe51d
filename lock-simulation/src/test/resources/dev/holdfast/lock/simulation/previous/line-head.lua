-- The line of a lock: the places of those who wait for it, in order of arrival, each with a deadline.
--
-- A place is the owner id of its next grant, '<client>:<thread>:<number>:<ms>'. The last part is the lease that a release may grant to it, 3000 if
-- it is left out; 0 is a place that is told to ask instead. A place with one colon is a Redisson client's.
--
-- Begins with tell-head.lua.
-- Begins with number-head.lua.
-- Begins with draw-head.lua.

-- How many places one script looks at when it looks for the next owner. Behind more than these, the next scripts go on.
local MOST_SEEN = 64

-- Clients ask at least every 2.5 s, and each question sets the place's deadline to 5 s or more. So a client whose place has less than this left
-- has not asked for 3 s. If it does not listen either, it is gone.
local GONE = 2000

-- How many places are near the head: they ask often.
local NEAR = 3

-- Redisson's clients take a lock only if they find it free. So one release out of so many that they hear leaves it to them: for a few ms, no
-- waiter of ours takes it.
local RELEASES_TO_THEIR_TURN = 4
local THEIR_TURN = 5

-- The end of that time has this name among the deadlines of the line. It has no place.
local THEIRS = 'redisson'

-- How long the keys of a line last after the last question: waiters of Redisson's fair lock come back after 5 minutes.
local REST = 600000

-- The owner under which a lock stays taken for a minimum hold after its release. No client has that id: a renewal that was sent before the
-- release and arrives after it does not find its own.
local function kept_owner(owner)
  return string.sub(owner, -6) == ':write' and string.sub(owner, 1, -7) .. ':0:write' or owner .. ':0'
end

-- The keys of one lock's line.
local function line_of(lock)
  local tagged = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
  return {lock = lock, places = 'redisson_lock_queue:' .. tagged, deadlines = 'redisson_lock_timeout:' .. tagged}
end

local function leave(line, place)
  local was = redis.call('zrem', line.deadlines, place)
  if was == 1 then
    redis.call('lrem', line.places, 1, place)
  end
  return was == 1
end

-- Removes a dead place, also where only one of the keys has it.
local function drop(line, place)
  redis.call('zrem', line.deadlines, place)
  redis.call('lrem', line.places, 1, place)
end

-- A deadline's fraction says whether the client heard messages when it asked, and if not, for how many ms since then a place is granted to without
-- a listener: the client asks again by then, and finds the grant.
--
-- 0.25  its subscription is on its way
-- 0.5   it cannot subscribe, or its connection for messages is down: it asks at least every 500 ms
-- 0.75  the same for a place that was told to ask, until its deadline
local UNHEARD = {[0.25] = 200, [0.5] = 1000, [0.75] = 5000}

-- Only places with this lifetime have a fraction.
local LIFETIME = 5000

local function asks_soon(deadline, now)
  local ms = UNHEARD[deadline % 1]
  return ms and deadline - now > LIFETIME - ms
end

local function set_deadline(line, place, deadline)
  return redis.call('zadd', line.deadlines, string.format('%.2f', deadline), place)
end

-- The number, or false if it is none of ms for which a place counts as alive.
local function lifetime(text)
  local number = tonumber(text)
  return number and number * 4 % 1 == 0 and number >= 0 and number <= 86400000 and number
end

-- Puts a place into the list, and removes dead ones, unless it is there already. Answers whether it is near the head, and whether it has entered
-- now.
local function enter_list(line, place, now, stays)
  local first = stays and redis.call('lrange', line.places, 0, NEAR - 1) or {}
  if #first == 0 then
    local near = redis.call('rpush', line.places, place) <= NEAR
    for _, dead in ipairs(redis.call('zrange', line.deadlines, '-inf', now, 'byscore', 'limit', 0, 2)) do
      leave(line, dead)
    end
    return near, true
  end
  local near = #first < NEAR
  for _, ahead in ipairs(first) do
    near = near or ahead == place
  end
  return near, false
end

-- Enters the line, or stays in it, until a deadline. The line's keys outlive the farthest deadline. Answers 1 if the place is near the head,
-- else 0, and whether it has entered now.
local function enter(line, place, now, deadline, farthest)
  local rest = decimal(farthest - now + REST)
  local stays = set_deadline(line, place, deadline) == 0
  -- At once: what comes next may be refused, and no key is to be without an end then.
  redis.call('pexpire', line.deadlines, rest)
  local done, near, entered = pcall(enter_list, line, place, now, stays)
  if not done then
    -- Another program wrote something else under the list's key: each request would leave a deadline without a place.
    redis.call('zrem', line.deadlines, place)
    -- Fails again, in Redis' words.
    enter_list(line, place, now, stays)
  end
  redis.call('pexpire', line.places, rest)
  return near and 1 or 0, entered
end

-- Whether an owner is a Redisson client.
local function is_redisson(owner)
  return string.find(owner, '^[^:]*:[^:]*$') ~= nil
end

-- A release frees the lock, and Redisson's clients hear of it. Answers whether it leaves the lock to them.
local function leave_to_redisson(line)
  local counter = line.deadlines .. ':turns'
  local releases = (tonumber(redis.call('get', counter) or '0') or 0) + 1
  if releases < RELEASES_TO_THEIR_TURN then
    -- A missing right must not fail a release that has freed the lock.
    redis.pcall('set', counter, releases, 'px', REST)
    return false
  end
  redis.call('del', counter)
  redis.call('zadd', line.deadlines, decimal(server_millis() + THEIR_TURN), THEIRS)
  if redis.call('pttl', line.deadlines) == -1 then
    redis.call('pexpire', line.deadlines, THEIR_TURN)
  end
  return true
end

-- For how many more ms a free lock is left to Redisson's clients, or nil.
local function left_to_redisson(line)
  local ends = tonumber(redis.call('zscore', line.deadlines, THEIRS) or '')
  local ms = ends and ends - server_millis()
  -- More than a turn can be left only if the server's clock was set back.
  if ms and ms > 0 and ms <= THEIR_TURN then
    return ms
  elseif ms then
    redis.call('zrem', line.deadlines, THEIRS)
  end
  return nil
end

-- Does for the queue what a release has to do once the lock is free. Where another program has written something else under the queue's keys,
-- nobody is told, and the release is one all the same: an error would say that the lock is still held, or was lost.
local function after_release(step, line, second, third, fourth)
  local done, answer = pcall(step, line, second, third, fourth)
  if not done and not string.find(answer.err or answer, 'WRONGTYPE') then
    error(answer, 0)
  end
  return done and answer
end

-- Whether it cannot be known who listens: a right is missing.
local cannot_know = false

-- Adds to counts how many listen to each of these channels, false if that cannot be known. Asked before a grant, which cannot be taken back once it
-- was published: a replica may have passed it on.
local function count_listeners(to, channels, counts)
  if #channels == 0 then
    return
  end
  local counted = redis.pcall('pubsub', to.cluster == '1' and 'shardnumsub' or 'numsub', unpack(channels))
  if counted.err then
    -- Before Redis 7 a cluster knows no shards, and counts the clients of one node only.
    cannot_know = cannot_know or not string.find(counted.err, 'nknown')
  end
  for i, channel in ipairs(channels) do
    counts[channel] = not counted.err and tonumber(counted[2 * i])
  end
end

-- The channel of a place's client.
local function channel_of(to, place)
  return to.wake .. string.match(place, '^[^:]*')
end

-- The next places behind those that were passed over, with what a visitor is told of each. Removes the dead ones.
local function read_places(line, to, now, from, size, counts)
  local found = {}
  local asked = {}
  local places = redis.call('lrange', line.places, from, from + size - 1)
  for _, place in ipairs(places) do
    local deadline = tonumber(redis.call('zscore', line.deadlines, place) or '')
    if place == to.asker then
      found[#found + 1] = {place = place, certain = true}
      break
    elseif not deadline or deadline <= now then
      drop(line, place)
    elseif is_redisson(place) then
      found[#found + 1] = {place = place, left = deadline - now}
    else
      local channel = channel_of(to, place)
      local certain = asks_soon(deadline, now)
      if not certain and counts[channel] == nil then
        counts[channel] = true
        asked[#asked + 1] = channel
      end
      found[#found + 1] = {place = place, left = deadline - now, channel = channel, certain = certain}
    end
  end
  count_listeners(to, asked, counts)
  return found, #places
end

-- Walks over the places that are alive and whose clients will learn of what is done for them, the first in line first, until the visitor answers
-- something. A visitor that has removed its place answers GRANTED. Each place has
--
-- place    the place
-- channel  that of its client; nil for one of Redisson's, of whom nobody knows who listens, and for the asker
-- certain  whether the client learns of a grant. If not, it cannot be known
-- left     the ms until its deadline
--
-- Passes over places whose clients do not listen, and removes them if they are gone. Passes over at most 64, and looks at 64 in all, or at as many as
-- to.most says.
--
-- returns what the visitor answered, nil at the end of the line; and whether the line may go on
local GRANTED = 'granted'
local function walk(line, to, visit)
  local now = server_millis()
  local most = to.most or MOST_SEEN
  local counts = {}
  local passed = 0
  local seen = 0
  local in_vain = 0
  local size = 1
  while seen < most and in_vain < MOST_SEEN do
    local found, read = read_places(line, to, now, passed, size, counts)
    in_vain = in_vain + read - #found
    for _, one in ipairs(found) do
      local answer = nil
      local heard = one.channel and counts[one.channel]
      if one.channel and not one.certain and heard == 0 then
        in_vain = in_vain + 1
        if one.left < GONE then
          drop(line, one.place)
          passed = passed - 1
        end
      else
        one.certain = one.certain or (heard and true)
        answer = visit(one)
      end
      if answer == GRANTED then
        passed = passed - 1
      elseif answer ~= nil then
        return answer, false
      end
      passed = passed + 1
    end
    if read < size then
      return nil, false
    end
    seen = seen + read
    size = math.min(8 * size, MOST_SEEN, most - seen)
  end
  return nil, true
end

-- What a plain or a fair lock is served with, see below. A cluster is told by its key for the slot's numbers, 'holdfast:token:{n}'.
local function serving(line, drawn_key, kind, seen)
  local tagged = string.sub(line.places, 21)
  return {
    token = drawn_key or 'holdfast:token',
    kind = kind,
    seen = seen,
    channel = 'redisson_lock__channel:' .. tagged,
    wake = 'holdfast:wake' .. string.sub(drawn_key or '', 15) .. ':',
    cluster = drawn_key and '1' or '0'
  }
end

-- Writes the hold, or the permit, of a place and tells its client.
local function grant(line, to, one, lease)
  local token = decimal(draw(to.token, to.seen))
  if to.hold then
    to.hold(one.place, tonumber(lease), token)
  else
    redis.call('hset', line.lock, one.place, 1, 'holdfast:token', token, 'holdfast:lease', lease, 'holdfast:granted', 1)
    if to.kind == 'fair' then
      redis.call('hset', line.lock, 'holdfast:kind', to.kind)
    end
    redis.call('pexpire', line.lock, lease)
  end
  tell(to.cluster, one.channel, one.place .. ' ' .. token)
  leave(line, one.place)
end

-- Grants a free lock to the first place in its line whose client learns of it.
--
-- to.token    the key of the last number drawn
-- to.kind     '' or 'fair'
-- to.seen     highest number drawn that the client has seen
-- to.channel  the lock's channel for Redisson's clients
-- to.wake     what the names of clients' channels begin with
-- to.cluster  1 in a cluster
-- to.asker    the owner that asks for the lock, if one does: it is not sent what it can be answered
-- to.tells    whether to tell the first to ask, and grant nothing
-- to.fits     of a semaphore: whether a place may have a permit. One that may not keeps those behind it waiting, too
-- to.hold     of a semaphore: writes a place's permit. There may be more of them to grant
-- returns true if the lock was granted; else the place that those behind it wait for, which may be the asker, or nil; and whether that place
--         is only the first that a script may look at: its client does not listen, and the next script goes on behind it
local function serve(line, to)
  local told = nil
  local found, goes_on = walk(line, to, function(one)
    local place = one.place
    if place == to.asker or (to.fits and not to.fits(place)) then
      return told or place
    end
    if not one.channel then
      tell(to.cluster, to.channel .. ':' .. place, '0')
      return told or place
    end
    local lease = string.match(place, '^[^:]*:[^:]*:[^:]*:(%d+)') or '3000'
    if one.certain and lease ~= '0' and not told and not to.tells then
      grant(line, to, one, lease)
      return not to.hold or GRANTED
    end
    if tell(to.cluster, one.channel, place) ~= 0 or one.certain then
      if told or to.tells or to.kind == 'fair' then
        return told or place
      end
      -- It may want other locks besides and be refused: the next in line is told, too.
      told = place
    end
  end)
  if not goes_on or told then
    return found or told, false
  end
  -- The last in line is the likeliest to live. Its question goes on where this script ends.
  local last = redis.call('lrange', line.places, -1, -1)[1]
  if last and last ~= to.asker and not is_redisson(last) then
    tell(to.cluster, channel_of(to, last), last)
  end
  -- Nobody knows who comes after them: a fair lock waits for the first of them.
  return to.kind == 'fair' and redis.call('lrange', line.places, 0, 0)[1] or nil, true
end

-- For how many ms those who are refused because of a place wait for it: until its deadline, or until it is gone.
local function ms_until_passed(line, place, goes_on)
  local deadline = tonumber(redis.call('zscore', line.deadlines, place) or '') or 0
  return math.max(1, math.floor(deadline - server_millis() - (goes_on and GONE or 0)))
end

