-- Splits the keys of a script for several locks. Returns the locks and, in a cluster, the last key, which is that of the last number drawn in the
-- slot.
local function locks_and_token_key(keys)
  local locks = {}
  for _, key in ipairs(keys) do
    if string.sub(key, 1, 15) == 'holdfast:token:' then
      return locks, key
    end
    locks[#locks + 1] = key
  end
  return locks, nil
end
