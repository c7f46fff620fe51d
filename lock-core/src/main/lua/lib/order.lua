-- The order of fencing tokens.

-- Returns whether a token is less than another one. Both are text, because tokens are too great for Lua's numbers.
local function is_before(token, other)
  return #token < #other or (#token == #other and token < other)
end
