-- Converts a text to a number. Returns false unless the number is whole and within the given bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end
