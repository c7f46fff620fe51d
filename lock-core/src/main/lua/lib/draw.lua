-- Draws a number that is greater than both the last number drawn in the slot and every number that the client has seen, and makes its first token. A
-- part of a block that has the locals clock, token_key and seen.
--
-- Numbers are given to Redis as text, because it writes the numbers of Lua with 17 digits. Redis writes all digits of a whole number below 2^53.
local drawn = tonumber(clock)
local text = clock
if seen >= drawn then
  drawn = seen + 1
  text = string.format('%.0f', drawn)
end
-- The last number drawn is nearly always behind the clock, which shows without a conversion.
local last = redis.call('getset', token_key, text)
if last and not (#last == #text and last < text) and (tonumber(last) or 0) >= drawn then
  drawn = last + 1
  -- Uses GETSET again instead of SET. So a missing right shows at once, and not only after the clock was set back.
  redis.call('getset', token_key, string.format('%.0f', drawn))
end
-- The number of tokens for each drawn number.
local TOKENS = 1024
-- The product is exact, because it is a number below 2^53 times a power of two.
local token = drawn * TOKENS
