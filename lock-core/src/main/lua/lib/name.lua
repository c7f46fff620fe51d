-- The lock's name with a hash tag, as lib/tagged.lua returns it. A part of a block that has the local lock.
local name = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
