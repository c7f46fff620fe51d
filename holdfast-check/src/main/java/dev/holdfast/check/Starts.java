package dev.holdfast.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The time at which each process got its first answer from Redis. Before that, a process loads classes and connects. */
final class Starts {

    /** The range of attempt numbers of one process. The next process of the same worker uses the next range. */
    static final long NUMBERS_OF_A_PROCESS = 1_000_000_000_000L;

    private final Map<Long, Long> first = new HashMap<>();

    Starts(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            if (attempt.isGranted() || attempt.ending == Ending.BUSY) {
                first.merge(process(attempt), attempt.answeredAt, Math::min);
            }
        }
    }

    /** Returns the time for the process of an attempt; the greatest number if it never got an answer. */
    long of(Attempt attempt) {
        return first.getOrDefault(process(attempt), Long.MAX_VALUE);
    }

    private static long process(Attempt attempt) {
        return attempt.number / NUMBERS_OF_A_PROCESS * 1_000 + attempt.worker;
    }
}
