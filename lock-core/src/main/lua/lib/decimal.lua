-- Returns all digits of a whole number. The function tostring rounds to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end
