-- What the scripts share by which holders renew their leases and assert them in a new reign.
--
-- KEYS[i]     a lock; behind them in a cluster: the last number drawn in this slot (string)
-- ARGV[1]     grace: '<grace in ms>:<client's clock in ms>:<ms>', for which the master before may serve on

--#include common
--#include keys
--#include order
--#include reign

local locks, token_key = locks_and_token_key(KEYS)
local term = term_of(token_key, ARGV[1])
if not term.serves then
  return out_of_bounds()
end
local closed = closed_for(term, 0)
local serves = closed and term.passed < term.serves and term.serves or 0

-- Returns for how many ms a hold lives from now on, and the answer. While the master before may still serve, a lease is not prolonged that may end
-- there before: its lock could then be granted there.
local function prolonged(lease, rest)
  if lease > rest and rest * 0.95 < serves then
    return rest, 2
  end
  return math.max(lease, rest), 1
end

-- Reads the arguments of a lease. Returns its owner, its length, its token and how many ms are left of it; nil if they are out of bounds.
local function lease_at(first)
  local lease = whole(ARGV[first + 1], SHORTEST_LEASE, LONGEST_LEASE)
  local rest = whole(ARGV[first + 3], 0, LONGEST_LEASE)
  return lease and rest and ARGV[first] or nil, lease, ARGV[first + 2], rest
end
