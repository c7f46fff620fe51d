-- Sets KEYS[1] to ARGV[1], for ARGV[2] ms if they are given.
if ARGV[2] then
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
else
  redis.call('set', KEYS[1], ARGV[1])
end
return 1
