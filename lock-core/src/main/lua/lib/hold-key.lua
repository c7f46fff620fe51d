--#include tagged

local function hold_key(lock, field, number)
  return tagged(lock) .. ':' .. field .. ':rwlock_timeout:' .. number
end
