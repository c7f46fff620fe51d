-- The shortest and the longest lease, in ms.
local SHORTEST_LEASE = 10
local LONGEST_LEASE = 86400000
