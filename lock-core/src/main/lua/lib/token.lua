-- The numbers that are drawn for fencing tokens.

--#include clock

-- The last number that this script has drawn.
local drawn_here = 0

-- Draws a number, and returns its first token.
local function draw(token_key, seen)
  server_micros()
  seen = math.max(tonumber(seen) or 0, drawn_here)
  --#include draw
  drawn_here = drawn
  return token
end

