package dev.holdfast.lock.simulation;

import java.util.List;

/** Faults of scripts: a check, an end, a token, a place or a message that is missing. */
final class ScriptMutants {

    private ScriptMutants() {}

    static final List<Mutant> ALL = List.of(
            new Mutant(
                    "a held lock is granted to who asks",
                    "acquire.lua",
                    "if redis.call('exists', KEYS[1], deadlines) == 0 then",
                    "if redis.call('exists', deadlines) == 0 then"),
            new Mutant(
                    "a lock is taken without an end",
                    "acquire.lua",
                    "local expiring = redis.pcall('pexpire', KEYS[1], ARGV[2])",
                    "local expiring = 1"),
            new Mutant(
                    "the last token is not looked at",
                    "lib/draw.lua",
                    "local drawn = math.max(server_micros(), (tonumber(seen) or 0) + 1, drawn_here + 1)",
                    "local drawn = drawn_here + 5"),
            new Mutant("every grant has the same token", "lib/draw.lua", "return drawn * 1024", "return 1024"),
            new Mutant(
                    "an owner that asks again is refused its own grant",
                    "acquire.lua",
                    "if fields[owner] then",
                    "if false then"),
            new Mutant(
                    "an owner that asks again does not learn how long it has the lock",
                    "acquire.lua",
                    "return {1, tonumber(fields['holdfast:token'] or ''), capped(KEYS[1], left, cap)}",
                    "redis.call('pexpire', KEYS[1], 60000) return {1, tonumber(fields['holdfast:token'] or ''), 60000}"),
            new Mutant(
                    "an owner that gets the lock stays in line",
                    "acquire.lua",
                    "    leave(line, owner)\n    return take(token, true)",
                    "    return take(token, true)"),
            new Mutant(
                    "who waits does not enter the line",
                    "acquire.lua",
                    "  local is_near, entered = enter(line, owner, now, deadline, math.max(farthest, deadline))",
                    "  local is_near, entered = 1, false"),
            new Mutant(
                    "a release frees whoever holds the lock",
                    "release.lua",
                    "if known[1] and keep == 0 then",
                    "if keep == 0 then"),
            new Mutant(
                    "a release serves nobody",
                    "release.lua",
                    "after_release(serve, line, to)\nreturn cannot_know",
                    "return cannot_know"),
            new Mutant(
                    "a release does not free",
                    "release.lua",
                    "elseif not told then\n  redis.call('del', KEYS[1])\n",
                    "elseif not told then\n"),
            new Mutant("a minimum hold is not kept", "release.lua", "if keep > 0 then", "if false then"),
            new Mutant(
                    "a grant by a release has no end",
                    "lib/line.lua",
                    "    redis.call('pexpire', line.lock, lease)\n",
                    ""),
            new Mutant(
                    "a grant by a release is not told",
                    "lib/line.lua",
                    "  tell(to.cluster, one.channel, one.place .. ' ' .. token)\n",
                    ""),
            new Mutant("who is granted the lock stays in line", "lib/line.lua", "  leave(line, one.place)\nend", "end"),
            new Mutant(
                    "dead places are served",
                    "lib/line.lua",
                    "    elseif not deadline or deadline <= now then\n      drop(line, place)",
                    "    elseif not deadline then\n      drop(line, place)",
                    Focus.LONG_PAUSES),
            new Mutant(
                    "clients that do not hear are passed over",
                    "lib/line.lua",
                    "  return ms and deadline - now > LIFETIME - ms",
                    "  return false"),
            new Mutant(
                    "a grant by a release draws no token",
                    "lib/line.lua",
                    "local token = decimal(draw(to.token, to.seen))",
                    "local token = decimal(1024)"),
            new Mutant(
                    "the keys of a line have no end",
                    "lib/line.lua",
                    "  redis.call('pexpire', line.places, rest)\n",
                    ""),
            new Mutant(
                    "a renewal prolongs anybody's lock",
                    "renew.lua",
                    "local mine = not known.err and known[1] and known[2] == ARGV[3 * i]",
                    "local mine = true",
                    Focus.LOST_KEYS),
            new Mutant(
                    "a renewal changes nothing",
                    "renew.lua",
                    "    -- The usual case. A key lives no longer than it was given.\n    call('pexpire', key, lease)\n",
                    ""),
            new Mutant(
                    "a longer lease is not noted",
                    "renew.lua",
                    "        pcall('hset', key, 'holdfast:lease', lease)\n",
                    ""),
            new Mutant(
                    "a semaphore counts one permit less",
                    "lib/semaphore.lua",
                    "    return fields - NOT_OWNERS\n",
                    "    return fields - NOT_OWNERS - 1\n"),
            new Mutant(
                    "a semaphore grants one permit more to those in line",
                    "lib/semaphore.lua",
                    "    return held < (permits_of(place) or 0)\n",
                    "    return held <= (permits_of(place) or 0)\n"),
            new Mutant(
                    "a release of a permit serves nobody",
                    "semaphore-release.lua",
                    "    redis.call('del', KEYS[1])\n  end\n  after_release(serve_permits, line, to, ARGV[4], now)\n",
                    "    redis.call('del', KEYS[1])\n  end\n"),
            new Mutant(
                    "a permit is not released",
                    "semaphore-release.lua",
                    "elseif ends then\n  redis.call('hdel', KEYS[1], ARGV[1])\n",
                    "elseif ends then\n"),
            new Mutant(
                    "a renewal of a permit changes nothing",
                    "semaphore-renew.lua",
                    "  if mine and ends < now + lease then",
                    "  if false then"),
            new Mutant(
                    "readers enter beside a writer",
                    "read-acquire.lua",
                    "      if writes ~= -2 then\n        return refused(writes, field)\n      end\n",
                    ""),
            new Mutant(
                    "a writer enters beside readers",
                    "write-acquire.lua",
                    "    if ms >= 0 then\n",
                    "    if false then\n"),
            new Mutant(
                    "a reader's hold is not removed",
                    "rw-release.lua",
                    "redis.call('hdel', KEYS[1], ARGV[1])\nredis.call('del', KEYS[2])\nif kept then",
                    "if kept then"),
            new Mutant(
                    "a release of a read/write lock tells nobody in line",
                    "rw-release.lua",
                    "local writer_told = after_release(tell_next, line, to, free or kept)",
                    "local writer_told = false"),
            new Mutant(
                    "a read/write lock is renewed without its holds",
                    "rw-renew.lua",
                    "    if given <= lease or redis.call('pttl', hold) < lease then\n",
                    "    if false then\n"),
            new Mutant(
                    "a longer renewal of a read/write lock is cut to the lease before it",
                    "rw-renew.lua",
                    "    if given < lease then\n",
                    "    if false then\n"),
            new Mutant(
                    "several names: one that is taken counts as free",
                    "multi-acquire.lua",
                    "    if fields[ARGV[1]] then",
                    "    if fields[ARGV[1]] or i == 3 then"),
            new Mutant(
                    "several names: the second has no end",
                    "multi-acquire.lua",
                    "  local expiring = lefts[i] < ttl and redis.pcall",
                    "  local expiring = i == 2 and lefts[i] < ttl and redis.pcall"),
            new Mutant(
                    "several names: a release serves nobody",
                    "multi-release.lua",
                    "  if free then\n    after_release(serve, line, to)\n",
                    "  if free then\n"));
}
