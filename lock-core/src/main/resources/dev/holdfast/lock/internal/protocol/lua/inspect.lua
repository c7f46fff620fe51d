-- Tells what a lock's keys hold.
--
-- KEYS[1] the lock (hash)
-- KEYS[2] the queue of a fair lock (list of owners, the next one first)
-- ARGV[1] what the names of a read/write lock's holds begin with
-- returns {ms it has left, {owner in the queue, …}, field, value, field, value, …}; {-2, {…}} if nobody has it. Of a read/write lock each
--         holder's field is followed by 'holdfast:hold:<field>' and what its hold says, empty if it is over. Of a semaphore each holder's
--         field comes with its token; without the holders whose permits have ended
--
-- Begins with permit-head.lua.

local left = redis.call('pttl', KEYS[1])
local answer = {left, redis.call('lrange', KEYS[2], 0, -1)}
if left ~= -2 then
  local fields = redis.call('hgetall', KEYS[1])
  local readWrite = redis.call('hexists', KEYS[1], 'mode') == 1
  local semaphore = is_semaphore(redis.call('hmget', KEYS[1], 'holdfast:kind')[1])
  local now = server_millis()
  for i = 1, #fields, 2 do
    local ends, _, token = permit(fields[i + 1])
    if not semaphore or string.sub(fields[i], 1, 9) == 'holdfast:' then
      answer[#answer + 1] = fields[i]
      answer[#answer + 1] = fields[i + 1]
    elseif ends and ends > now then
      answer[#answer + 1] = fields[i]
      answer[#answer + 1] = token
    end
    if readWrite and fields[i] ~= 'mode' then
      local says = nil
      for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
        says = redis.call('get', ARGV[1] .. ':' .. fields[i] .. ':rwlock_timeout:' .. hold) or says
      end
      answer[#answer + 1] = 'holdfast:hold:' .. fields[i]
      answer[#answer + 1] = says or ''
    end
  end
end
return answer
