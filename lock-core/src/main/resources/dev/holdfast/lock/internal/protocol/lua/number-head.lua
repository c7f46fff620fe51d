-- Numbers: how a script reads and writes them.

-- The number, or false if it is not a whole one within these bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

-- Never by tostring: that would round to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end

