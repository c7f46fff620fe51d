-- Reads the text that is kept beside a lock, and the server's clock.
--
-- KEYS[1] the lock (hash)
-- returns {ms of the server's epoch, text}, without the text if there is none

--#include record
--#include clock

local _, text = read_record(record_key(KEYS[1]))
return {server_millis(), text}
