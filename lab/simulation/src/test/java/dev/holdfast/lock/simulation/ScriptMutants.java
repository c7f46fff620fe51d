package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults of scripts: a check, an end, a token, a place or a message that is missing. */
public final class ScriptMutants {

    private ScriptMutants() {}

    /**
     * Returns each mutant's name, those of the grace included, and the script that it makes of a script. A script that it leaves alone is returned as
     * it is.
     */
    public static Map<String, UnaryOperator<Script>> changes() {
        Map<String, UnaryOperator<Script>> changes = new LinkedHashMap<>();
        Stream.of(ALL, EXPLORED, GraceMutants.ALL)
                .flatMap(List::stream)
                .forEach(mutant -> changes.put(mutant.name(), mutant.change()));
        return changes;
    }

    /** Those that only the exploration finds. Chance would need plans that are full of nothing else. */
    static final List<Mutant> EXPLORED = List.of(
            new Mutant(
                    "the turn of a place that was told does not end",
                    "lib/rw.lua",
                    "if one.left > TURN then",
                    "if false then"),
            new Mutant(
                    "a writer that gives up tells no reader",
                    "rw-release.lua",
                    "if leave(queue, field) and mode ~= 'write' then",
                    "if leave(queue, field) and false then"));

    static final List<Mutant> ALL = List.of(
            new Mutant(
                    "a held lock is granted to who asks",
                    "acquire.lua",
                    "if not ARGV[6] and (kind == '' or kind == 'fair') and redis.call('exists', lock, deadlines) == 0 then",
                    "if not ARGV[6] and (kind == '' or kind == 'fair') and redis.call('exists', deadlines) == 0 then"),
            new Mutant(
                    "a free lock with a queue is granted to who asks",
                    "acquire.lua",
                    "if not ARGV[6] and (kind == '' or kind == 'fair') and redis.call('exists', lock, deadlines) == 0 then",
                    "if not ARGV[6] and (kind == '' or kind == 'fair') and redis.call('exists', lock) == 0 then"),
            new Mutant(
                    "a lock is taken without an end",
                    "lib/hold.lua",
                    "local ended = redis.pcall('pexpire', lock, ARGV[3])",
                    "local ended = 1"),
            new Mutant(
                    "the last token is not looked at",
                    "lib/draw.lua",
                    "local drawn = tonumber(clock)\nlocal text = clock\n",
                    "local drawn = 5\nlocal text = '5'\nseen = 0\n"),
            new Mutant(
                    "every grant has the same token",
                    "lib/draw.lua",
                    "local token = drawn * TOKENS",
                    "local token = 1024"),
            new Mutant(
                    "an owner that asks again does not learn how long it has the lock",
                    "acquire.lua",
                    "return {1, tonumber(fields['holdfast:token'] or ''), left}",
                    "redis.call('pexpire', lock, 60000) return {1, tonumber(fields['holdfast:token'] or ''), 60000}"),
            new Mutant(
                    "a request for a free lock serves nobody in the queue",
                    "acquire.lua",
                    "local granted, blocker, beyond = grant_next(queue)",
                    "local granted, blocker, beyond = false, nil, false"),
            new Mutant(
                    "who waits does not enter the queue",
                    "acquire.lua",
                    "  local is_near, entered = enter(queue, owner, now, deadline, math.max(farthest, deadline))",
                    "  local is_near, entered = 1, false"),
            new Mutant(
                    "a release frees the lock of any holder",
                    "release.lua",
                    "if known[1] and (ARGV[3] or '0') == '0' then",
                    "if (ARGV[3] or '0') == '0' then"),
            new Mutant(
                    "a release looks at no queue",
                    "release.lua",
                    "if kind == '' and not known[2] and not known[3] then",
                    "if kind == '' then"),
            new Mutant(
                    "a release of a fair lock looks at no queue",
                    "release.lua",
                    "if redis.call('pttl', 'redisson_lock_queue:' .. name) == -2 then",
                    "if true then"),
            new Mutant(
                    "dead places are served",
                    "lib/walk.lua",
                    "    elseif not deadline or deadline <= now then\n      drop(queue, place)",
                    "    elseif not deadline then\n      drop(queue, place)",
                    Focus.LONG_PAUSES),
            new Mutant(
                    "clients that do not hear are passed over",
                    "lib/walk.lua",
                    "  return ms and deadline - now > LIFETIME - ms",
                    "  return false"),
            new Mutant(
                    "a grant by a release draws no token",
                    "lib/grant-next.lua",
                    "local token = decimal(draw(queue.token, queue.seen))",
                    "local token = decimal(1024)"),
            new Mutant(
                    "a renewal prolongs anybody's lock",
                    "renew.lua",
                    "local mine = not known.err and known[1] and known[2] == ARGV[3 * i]",
                    "local mine = true",
                    Focus.LOST_KEYS),
            new Mutant(
                    "a semaphore counts one permit less",
                    "lib/semaphore.lua",
                    "    return fields - NOT_OWNERS\n",
                    "    return fields - NOT_OWNERS - 1\n"),
            new Mutant(
                    "a permit that has ended counts",
                    "lib/semaphore.lua",
                    "      if not ends or ends <= now then",
                    "      if not ends then"),
            new Mutant(
                    "a free permit goes to who asks before the queue",
                    "semaphore-acquire.lua",
                    "if not ARGV[6] and redis.call('exists', 'redisson_lock_timeout:' .. name) == 0 then",
                    "if not ARGV[6] then"),
            new Mutant(
                    "a permit beside others does not note the first end",
                    "semaphore-acquire.lua",
                    "first and first < now + ttl and known[3] or ends",
                    "ends",
                    Focus.RUN_OUT),
            new Mutant(
                    "a held read/write lock is granted to who asks",
                    "lib/rw-acquire.lua",
                    "redis.call('exists', lock, 'redisson_lock_timeout:'",
                    "redis.call('exists', 'redisson_lock_timeout:'"),
            new Mutant(
                    "a free read/write lock with a queue is granted to who asks",
                    "lib/rw-acquire.lua",
                    "'redisson_lock_timeout:' .. name, 'redisson_lock_queue:' .. name) == 0 then\n  local clock",
                    "'holdfast:none') == 0 then\n  local clock"),
            new Mutant(
                    "a reader's release ends the holds of others",
                    "rw-release.lua",
                    " and redis.call('hlen', lock) == 2 and",
                    " and"),
            new Mutant(
                    "the last holder of a read/write lock looks at no queue",
                    "rw-release.lua",
                    "redis.call('exists', 'redisson_lock_timeout:' .. name, 'redisson_lock_queue:' .. name) == 0",
                    "true"),
            new Mutant(
                    "a reader's hold is not removed",
                    "rw-release.lua",
                    "redis.call('hdel', lock, field)\nredis.call('del', hold)\nif kept then",
                    "if kept then"),
            new Mutant(
                    "several names: one that is taken counts as free",
                    "multi-acquire.lua",
                    "    if fields[owner] then",
                    "    if fields[owner] or i == 2 then"),
            new Mutant(
                    "several names: the second has no end",
                    "multi-acquire.lua",
                    "  local ended = lefts[i] < ttl and redis.pcall",
                    "  local ended = i == 1 and lefts[i] < ttl and redis.pcall"),
            new Mutant(
                    "a renewal after an extension changes nothing",
                    "renew.lua",
                    "if given <= asked or redis.call('pttl', key) < asked then",
                    "if given <= asked then",
                    Focus.LONG_HOLDS),
            new Mutant(
                    "a renewal of a read/write lock after an extension changes nothing",
                    "rw-renew.lua",
                    "if given <= lease or redis.call('pttl', hold) < lease then",
                    "if given <= lease then",
                    Focus.LONG_HOLDS),
            new Mutant(
                    "the first end of several permits is not noted",
                    "lib/permits.lua",
                    "decimal(math.min(tonumber(known[1] or '') or now + ms, now + ms))",
                    "decimal(now + ms)",
                    Focus.RUN_OUT),
            new Mutant(
                    "the key of a semaphore ends with the permit that was written last",
                    "semaphore-acquire.lua",
                    "left > ttl and string.format('%.0f', left) or lease",
                    "lease"),
            new Mutant(
                    "a permit is written without its token",
                    "semaphore-acquire.lua",
                    "lease .. ':' .. string.format('%.0f', token), 'holdfast:kind'",
                    "lease .. ':1', 'holdfast:kind'"),
            new Mutant(
                    "a semaphore is noted as a plain one",
                    "lib/permits.lua",
                    "return kind == 'semaphore' or kind == 'fair-semaphore'",
                    "return kind == 'semaphore'"),
            new Mutant(
                    "after a writer only one client of readers is told",
                    "lib/rw.lua",
                    "    return writer\n",
                    "    return true\n"),
            new Mutant("the place that is told is not named", "lib/rw.lua", "owner_of(one.place))", "'')"),
            new Mutant(
                    "a reader is told before the writer ahead of it",
                    "lib/rw.lua",
                    "if writer and (readers or not free) then\n      return true",
                    "if writer then\n      return false"),
            new Mutant(
                    "the holds of a holder are not visited",
                    "lib/holds.lua",
                    "return math.min(tonumber(count) or 0, MOST_HOLDS)",
                    "return 0"),
            new Mutant("all holders share one hold", "lib/hold-key.lua", ":' .. field .. ':rwlock", "::rwlock"),
            new Mutant(
                    "who leaves the queue of a free lock serves nobody",
                    "release.lua",
                    "if leave(queue, owner) and redis.call('pttl', lock) == -2 then",
                    "if leave(queue, owner) and false then",
                    Focus.DEPARTURES),
            new Mutant(
                    "who leaves the queue of a semaphore serves nobody",
                    "semaphore-release.lua",
                    "elseif leave(queue, owner) then",
                    "elseif leave(queue, owner) and false then",
                    Focus.DEPARTURES),
            new Mutant(
                    "a permit that has ended is looked for only after the last one",
                    "lib/semaphore.lua",
                    "first = math.min(first or ends, ends)",
                    "first = math.max(first or ends, ends)",
                    Focus.RUN_OUT),
            new Mutant(
                    "a minimum hold of a read/write lock is not kept",
                    "rw-release.lua",
                    "local kept = held and keep > 0",
                    "local kept = false",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "a minimum hold is kept for a part of its time",
                    "lib/keep-taken.lua",
                    "redis.call('hdel', lock, owner)\n  -- Sets the end again: see \"Ends come last\" in the wire contract.\n  redis.call('pexpire', lock, keep)",
                    "redis.call('hdel', lock, owner)\n  redis.call('pexpire', lock, math.floor(tonumber(keep) / 2))",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "a writer that reads waits for itself",
                    "read-acquire.lua",
                    "local nested = mode == 'write'",
                    "local nested = mode == 'none'",
                    Focus.THREADS),
            new Mutant(
                    "a renewal returns no request to stop",
                    "renew.lua",
                    "  if mine and known[4] then",
                    "  if false then",
                    Focus.STOPS),
            new Mutant(
                    "whoever holds the lock is asked to stop",
                    "request-stop.lua",
                    "if not known[1] or known[2] ~= ARGV[2] then",
                    "if not known[2] then",
                    Focus.STOPS),
            new Mutant(
                    "who has no hold and no permit writes",
                    "lib/guard.lua",
                    "  if not known[1] then\n    return nil\n  end\n",
                    "  if not known[1] then\n    return ARGV[2]\n  end\n",
                    Focus.FORCED),
            new Mutant("a record has no end", "record-write.lua", ", 'px', ARGV[5])", ")", Focus.RECORDS),
            new Mutant(
                    "a record is not written",
                    "record-write.lua",
                    "redis.call('set', key, token .. ':' .. ARGV[6], 'px', ARGV[5])",
                    "redis.call('pexpire', key, ARGV[5])",
                    Focus.RECORDS));
}
