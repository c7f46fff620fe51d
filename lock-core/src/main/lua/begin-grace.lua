-- Begins the grace of a slot in which no lock may have been requested in this reign yet.
--
-- KEYS[1] the last number drawn in the slot (string)
-- ARGV[1] grace: '<grace in ms>:<client's clock in ms>'
-- returns 1 if the grace begins now, 0 if it began earlier

--#include common
--#include reign

local term = term_of(KEYS[1], ARGV[1])
return closed_for(term, 0) and term.passed == 0 and 1 or 0
