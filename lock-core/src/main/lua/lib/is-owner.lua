-- Returns whether a field of a hash is an owner, and not a note of this library.
local function is_owner(field)
  return string.sub(field, 1, 9) ~= 'holdfast:'
end
