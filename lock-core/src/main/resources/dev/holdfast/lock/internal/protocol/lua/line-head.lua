-- The line of a lock: the places of those who wait for it, in order of arrival, each with a deadline.
--
-- A place is the owner id of its next grant, '<client>:<thread>:<number>:<ms>'. The last part is the lease that a release may grant to it, 3000 if
-- it is left out; 0 is a place that is told to ask instead. A place with one colon is a Redisson client's.
--
-- Begins with tell-head.lua.
-- Begins with number-head.lua.
-- Begins with draw-head.lua.

-- How many clients that do not listen at this moment a release passes over, and how many places of theirs.
local MOST_DEAF = 16
local MOST_PASSED_OVER = 1000

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

-- Enters the line, or stays in it, until a deadline. The line's keys outlive the farthest deadline. Answers 1 if the place is near the head,
-- else 0, and whether it has entered now.
local function enter(line, place, now, deadline, farthest)
  local rest = decimal(farthest - now + REST)
  local stays = redis.call('zadd', line.deadlines, decimal(deadline), place) == 0
  -- At once: what comes next may be refused, and no key is to be without an end then.
  redis.call('pexpire', line.deadlines, rest)
  local first = stays and redis.call('lrange', line.places, 0, NEAR - 1) or {}
  local near = #first < NEAR
  local entered = #first == 0
  if entered then
    near = redis.call('rpush', line.places, place) <= NEAR
    for _, dead in ipairs(redis.call('zrange', line.deadlines, '-inf', now, 'byscore', 'limit', 0, 2)) do
      leave(line, dead)
    end
  end
  redis.call('pexpire', line.places, rest)
  for _, ahead in ipairs(first) do
    near = near or ahead == place
  end
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

-- How many listen to a channel, or false if that cannot be known. Asked before a grant, which cannot be taken back once it was published: a
-- replica may have passed it on.
local cannot_know = false
local function listeners(cluster, channel)
  local counted = redis.pcall('pubsub', cluster == '1' and 'shardnumsub' or 'numsub', channel)
  if counted.err then
    -- Before Redis 7 a cluster knows no shards, and counts the clients of one node only.
    cannot_know = cannot_know or not string.find(counted.err, 'nknown')
    return false
  end
  return tonumber(counted[2])
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

-- Grants a free lock to the first place in its line whose client listens.
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
-- to.hold     of a semaphore: writes a place's permit
-- returns true if the lock was granted, else the first place that was told to ask, or the asker, or nil
local function serve(line, to)
  local now = nil
  local at = 0
  local told = nil
  local token = nil
  local counts = {}
  local deaf = 0
  while deaf < MOST_DEAF and at < MOST_PASSED_OVER do
    local place = redis.call('lrange', line.places, at, at)[1]
    if not place then
      return told
    end
    now = now or server_millis()
    local deadline = tonumber(redis.call('zscore', line.deadlines, place))
    if place == to.asker then
      return told or place
    elseif not deadline or deadline <= now then
      drop(line, place)
    elseif to.fits and not to.fits(place) then
      return told or place
    else
      local client, rest = string.match(place, '^([^:]*):[^:]*:(.*)')
      local lease = rest and (string.match(rest, ':(%d+)') or '3000')
      local channel = to.wake .. (client or '')
      local heard = false
      if client and lease ~= '0' and not told and not to.tells then
        if counts[channel] == nil then
          counts[channel] = listeners(to.cluster, channel)
          deaf = deaf + (counts[channel] == 0 and 1 or 0)
        end
        heard = counts[channel]
      end
      if not client then
        tell(to.cluster, to.channel .. ':' .. place, '0')
        return told or place
      elseif not heard then
        if tell(to.cluster, channel, place) ~= 0 then
          if told or to.tells or to.kind == 'fair' then
            return told or place
          end
          -- It may want other locks besides and be refused: the next in line is told, too.
          told = place
        else
          deaf = deaf + 1
        end
        at = at + 1
      elseif heard > 0 then
        token = token or decimal(draw(to.token, to.seen))
        if to.hold then
          to.hold(place, tonumber(lease), token)
        else
          redis.call('hset', line.lock, place, 1, 'holdfast:token', token, 'holdfast:lease', lease, 'holdfast:granted', 1)
          if to.kind == 'fair' then
            redis.call('hset', line.lock, 'holdfast:kind', to.kind)
          end
          redis.call('pexpire', line.lock, lease)
        end
        tell(to.cluster, channel, place .. ' ' .. token)
        leave(line, place)
        return true
      else
        at = at + 1
      end
    end
  end
  -- Nobody knows who comes after them: a fair lock waits for the first of them.
  return told or (to.kind == 'fair' and redis.call('lrange', line.places, 0, 0)[1]) or nil
end

