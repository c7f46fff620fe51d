package dev.holdfast.lock.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tokens and grants one to one, and tokens in the order of the grants. One pass over grants and questions in the order of time. */
final class TokenCheck {

    /** The greatest token that was given out, and the time at which the last few were. */
    private static final class Lock {
        final Map<Long, Attempt> granted = new HashMap<>();
        long greatest;
    }

    private final long slackNanos;
    private final Findings findings;
    private final Map<String, Lock> locks = new HashMap<>();

    /** @param slackNanos for how long after a grant a smaller token may still be asked for */
    TokenCheck(long slackNanos, Findings findings) {
        this.slackNanos = slackNanos;
        this.findings = findings;
    }

    /**
     * @param byAnswer the granted attempts by the time of their answer
     * @param byQuestion the same by the time of their question
     */
    void check(List<Attempt> byAnswer, List<Attempt> byQuestion) {
        Map<Attempt, long[]> floors = new HashMap<>();
        int next = 0;
        for (Attempt asking : byQuestion) {
            while (next < byAnswer.size() && byAnswer.get(next).answeredAt + slackNanos < asking.askedAt) {
                granted(byAnswer.get(next++), floors);
            }
            long[] floor = new long[asking.locks.size()];
            for (int i = 0; i < floor.length; i++) {
                floor[i] = lock(asking.locks.get(i)).greatest;
            }
            floors.put(asking, floor);
        }
        while (next < byAnswer.size()) {
            granted(byAnswer.get(next++), floors);
        }
    }

    private void granted(Attempt attempt, Map<Attempt, long[]> floors) {
        long[] floor = floors.getOrDefault(attempt, new long[attempt.locks.size()]);
        for (int i = 0; i < floor.length; i++) {
            String name = attempt.locks.get(i);
            Lock lock = lock(name);
            Attempt other = lock.granted.putIfAbsent(attempt.token, attempt);
            if (other != null) {
                findings.broken(Rule.TOKEN_ONCE, name + ": " + other + " and " + attempt);
            } else if (attempt.token <= floor[i]) {
                findings.broken(
                        Rule.TOKENS_GROW, name + ": " + attempt + " asked after token " + floor[i] + " was given");
            }
            lock.greatest = Math.max(lock.greatest, attempt.token);
        }
    }

    private Lock lock(String name) {
        return locks.computeIfAbsent(name, key -> new Lock());
    }
}
