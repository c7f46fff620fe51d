package dev.holdfast.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that each token belongs to one grant, and that tokens increase in the order of the grants. Examines grants and requests once, in the order
 * of time.
 */
final class TokenCheck {

    /** The grants of one lock by token, and the greatest token so far. */
    private static final class Lock {
        final Map<Long, Attempt> granted = new HashMap<>();
        long greatest;
    }

    private final long slackNanos;
    private final Findings findings;
    private final Map<String, Lock> locks = new HashMap<>();

    /** @param slackNanos the time after a grant in which a request may still get a smaller token */
    TokenCheck(long slackNanos, Findings findings) {
        this.slackNanos = slackNanos;
        this.findings = findings;
    }

    /**
     * @param byAnswer the granted attempts, in the order of their answers
     * @param byRequest the same attempts, in the order of their requests
     */
    void check(List<Attempt> byAnswer, List<Attempt> byRequest) {
        Map<Attempt, long[]> floors = new HashMap<>();
        int next = 0;
        for (Attempt asking : byRequest) {
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
