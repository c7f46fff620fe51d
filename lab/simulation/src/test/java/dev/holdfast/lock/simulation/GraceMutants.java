package dev.holdfast.lock.simulation;

import java.util.List;

/** Faults of the grace after a failover. */
final class GraceMutants {

    private GraceMutants() {}

    private static Mutant of(String name, String file, String text, String replacement) {
        return new Mutant(name, file, text, replacement, Focus.FAILOVERS);
    }

    static final List<Mutant> ALL = List.of(
            of(
                    "the reign is not compared",
                    "lib/reign.lua",
                    "redis.call('get', term.opened .. term.reign)",
                    "redis.call('exists', term.token) == 1"),
            of(
                    "there is no grace",
                    "lib/reign.lua",
                    "local left = math.max(term.grace, tonumber(grace)) - term.passed",
                    "local left = 0"),
            of(
                    "the grace is too short",
                    "lib/reign.lua",
                    "local left = math.max(term.grace, tonumber(grace)) - term.passed",
                    "local left = 500 - term.passed"),
            of(
                    "with a longer grace, the master before serves for longer",
                    "lib/spoken.lua",
                    "term.passed < term.serves and term.serves or 0",
                    "term.passed < term.grace / 3 and term.grace / 3 or 0"),
            of(
                    "a grace of an earlier reign goes on",
                    "lib/reign.lua",
                    "term.passed = reign == term.reign and",
                    "term.passed = reign and"),
            of(
                    "the usual path does not look at the grace",
                    "acquire.lua",
                    "if not ARGV[6] and (kind == '' or kind == 'fair') and",
                    "if (kind == '' or kind == 'fair') and"),
            of(
                    "the usual path of a read/write lock does not look at the grace",
                    "lib/rw-acquire.lua",
                    "if not grace and redis.call",
                    "if redis.call"),
            of(
                    "a lost hold is not written again",
                    "assert.lua",
                    "elseif closed and ms >= 1",
                    "elseif false and ms >= 1"),
            of("an older hold is not replaced", "assert.lua", "and is_before(known[2], token)))", "and false))"),
            of(
                    "a lost permit is not written again",
                    "semaphore-assert.lua",
                    "elseif closed and not known.err",
                    "elseif false and not known.err"),
            of(
                    "a lost hold of a read/write lock is not written again",
                    "rw-assert.lua",
                    "elseif closed and not problem",
                    "elseif false and not problem"),
            of(
                    "a hold that was released keeps a reader or a writer out",
                    "rw-assert.lua",
                    "if known and not is_before(known, token) or not known",
                    "if known or not known"),
            of(
                    "a release of what Redis has lost counts as a loss",
                    "release.lua",
                    "return queue.closed and 0 or -2",
                    "return -2"),
            of(
                    "a failure is copied without what only its type says",
                    "internal/background/Failures.java",
                    "return new LockNotYetGrantedException(lockName, message, cause, notYet.left());",
                    "return new LockUnavailableException(lockName, message, cause, notYet.isTransient());"));
}
