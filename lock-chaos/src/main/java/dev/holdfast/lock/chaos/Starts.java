package dev.holdfast.lock.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When each process got its first answer from Redis. Before that it loads classes and connects. */
final class Starts {

    /** What the attempts of one process of a worker are numbered by. */
    static final long NUMBERS_OF_A_PROCESS = 1_000_000_000_000L;

    private final Map<Long, Long> first = new HashMap<>();

    Starts(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            if (attempt.isGranted() || attempt.ending == Ending.BUSY) {
                first.merge(process(attempt), attempt.answeredAt, Math::min);
            }
        }
    }

    /** The end of time for a process that never got one. */
    long of(Attempt attempt) {
        return first.getOrDefault(process(attempt), Long.MAX_VALUE);
    }

    private static long process(Attempt attempt) {
        return attempt.number / NUMBERS_OF_A_PROCESS * 1_000 + attempt.worker;
    }
}
