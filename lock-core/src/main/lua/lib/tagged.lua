-- Returns the lock's name with a hash tag, so that a name derived from it falls into the lock's slot.
local function tagged(lock)
  return string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
end
