-- The number of fields of a semaphore that are not owners.
local NOT_OWNERS = 3
