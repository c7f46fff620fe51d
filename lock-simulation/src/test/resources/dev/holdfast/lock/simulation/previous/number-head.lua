-- Numbers: how a script reads and writes them.

-- The number, or false if it is not a whole one within these bounds.
local function whole(text, least, most)
  local number = tonumber(text)
  return number and number % 1 == 0 and number >= least and number <= most and number
end

-- How many holds a field of a read/write lock counts. Each has a key of its own. No thread enters a lock of Redisson more often than this, so a
-- greater count is another program's, and no script looks at as many keys.
local function holds_of(count)
  return math.min(tonumber(count) or 0, 1000)
end

-- Never by tostring: that would round to fourteen digits.
local function decimal(number)
  return string.format('%.0f', number)
end

