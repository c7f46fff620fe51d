package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.Profile;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Checks that fencing tokens grow, and that a store that checks tokens refuses no write wrongly. */
final class TokenChecks {

    private static final int TOKENS_OF_A_GRANT = 1024;

    private final Profile profile;
    private final Checks checks;
    private final Map<String, Long> highest = new HashMap<>();
    private final Map<String, Long> highestWriter = new HashMap<>();
    private final Map<String, Set<Long>> tokens = new HashMap<>();
    private final Map<String, Long> stored = new HashMap<>();

    TokenChecks(Profile profile, Checks checks) {
        this.profile = profile;
        this.checks = checks;
    }

    /** Returns the number that was drawn for a token's grant. */
    static long drawn(long token) {
        return token / TOKENS_OF_A_GRANT;
    }

    /** Returns the greatest token of a name that a caller was given. */
    long highest(String name) {
        return highest.getOrDefault(name, 0L);
    }

    void granted(Hold granted) {
        LockSpec lock = granted.lock;
        if (profile == Profile.CLOCKS || granted.forced || lock.kind() == Kind.MULTI) {
            return;
        }
        long token = granted.lease.fencingToken();
        for (String name : lock.names()) {
            if (!tokens.computeIfAbsent(name, any -> new HashSet<>()).add(token)) {
                checks.fail("no token is given twice", lock, granted.caller + " has token " + token);
            }
            if (profile == Profile.LOSSY) {
                continue;
            }
            long least =
                    lock.kind() == Kind.READ ? highestWriter.getOrDefault(name, 0L) : highest.getOrDefault(name, 0L);
            // A lease may end on its way to a caller that stands still.
            if (token <= least && lock.permits() == 0 && granted.lease.isHeld()) {
                checks.fail("tokens only grow", lock, granted.caller + " has token " + token + " after " + least);
            }
            highest.merge(name, token, Math::max);
            if (lock.kind() != Kind.READ) {
                highestWriter.merge(name, token, Math::max);
            }
        }
    }

    /** Simulates a write to a store that refuses a token below the highest that it has seen. */
    void write(Hold hold) {
        LockSpec lock = hold.lock;
        if (!hold.isRelied() || lock.kind() == Kind.MULTI || lock.kind().isShared()) {
            return;
        }
        checks.counts.writes++;
        for (String name : lock.names()) {
            long seen = stored.getOrDefault(name, 0L);
            long token = hold.lease.fencingToken();
            if (token >= seen) {
                stored.put(name, token);
            } else if (profile.isSound()) {
                checks.fail(
                        "the rightful holder is not refused",
                        lock,
                        hold.caller + " writes with token " + token + " after " + seen);
            }
        }
    }
}
