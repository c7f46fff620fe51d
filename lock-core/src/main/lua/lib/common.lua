-- Functions that most scripts need: for numbers, for names derived from a lock, and for messages.

--#include leases
--#include out-of-bounds
--#include tagged
--#include whole
--#include decimal
--#include publish
