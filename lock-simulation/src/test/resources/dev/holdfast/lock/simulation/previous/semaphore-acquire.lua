-- Takes a permit of a semaphore if one is free for the owner, and draws a block of fencing tokens. Otherwise the owner enters the line, or stays
-- in it, if it waits.
--
-- KEYS[1] the semaphore (hash); the keys of its line follow from its name
-- KEYS[2] in a cluster: the last number drawn in this slot (string)
-- ARGV[1] owner; the last part is how many permits there are
-- ARGV[2] time to live in ms: the lease, or the minimum hold where that is longer
-- ARGV[3] highest number drawn that this client has seen
-- ARGV[4] for how many ms the owner's place is taken for alive, if it waits; 0 if it does not. Its fraction says
--         whether the client hears messages, see line-head.lua
-- ARGV[5] kind: semaphore, or fair-semaphore
-- returns the first token if the owner has a permit from now on, {1, first token, ms left} if it had it already, or
--         {0, ms after which to ask again, empty, last number drawn, 1 if near the head of the line} if it has none;
--         the last two are 0 for an owner that does not wait
--
-- State is written, never counted up: a second run for the same owner finds its own permit or its own place. It does not prolong the permit.
-- Lua does not roll back, so everything is validated before the first write.
--
-- Begins with acquire-head.lua.
-- Begins with semaphore-head.lua.

local owner = ARGV[1]
local kind = ARGV[5]
local permits = permits_of(owner)
local patience = lifetime(ARGV[4])
if not (permits and permits > 0 and patience and is_semaphore(kind)) then
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
local known = redis.call('hmget', KEYS[1], owner, 'holdfast:kind', 'mode')
if known[2] ~= kind and redis.call('exists', KEYS[1]) == 1 then
  local other = known[3] and 'read/write lock' or is_semaphore(known[2]) and known[2] or (known[2] or 'plain (re-entrant)') .. ' lock'
  return redis.error_reply('WRONGKIND holdfast: the key is held as a ' .. other .. ', asked for as a ' .. kind)
end
local now = server_millis()
local ends, lease, token = permit(known[1])
if ends and ends > now then
  return {1, tonumber(token), math.min(ends - now, lease)}
end

local line = line_of(KEYS[1])
local to = serving(line, KEYS[2], kind == 'fair-semaphore' and 'fair' or '', seen)
to.asker = owner
local held, next, goes_on = serve_permits(line, to, kind, now)
local first = next == nil or next == owner
if held < permits and (first or (to.kind == '' and to.fits(next))) then
  local drawn = draw(to.token, seen)
  write_permit(KEYS[1], kind, owner, now, ttl, ttl, decimal(drawn))
  leave(line, owner)
  return drawn
end

local after = (tonumber(redis.call('hmget', KEYS[1], 'holdfast:end')[1] or '') or now) - now
if held < permits and not first then
  -- The first in line has not come for what is free, or there are fewer permits for it.
  after = ms_until_passed(line, next, goes_on)
end
local drawn = 0
local near = 0
if patience > 0 then
  drawn = tonumber(redis.call('get', to.token) or '0') or 0
  near = enter(line, owner, now, now + patience, now + patience)
  near = goes_on and 1 or near
end
return {0, math.max(1, after), '', drawn, near}
