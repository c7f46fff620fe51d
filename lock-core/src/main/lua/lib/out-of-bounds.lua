-- The answer to an argument that is out of bounds.
local function out_of_bounds()
  return redis.error_reply('ERR holdfast: an argument is out of bounds')
end
