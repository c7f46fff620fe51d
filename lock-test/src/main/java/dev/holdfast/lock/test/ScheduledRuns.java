package dev.holdfast.lock.test;

import dev.holdfast.lock.WaitingLock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Recognizes runs of Spring's scheduled methods. They begin and end beside every test of a context and belong to none. */
final class ScheduledRuns {

    private static final String SCHEDULER = "org.springframework.scheduling.";

    private ScheduledRuns() {}

    /** Returns whether Spring's scheduler made the call. */
    static boolean contain(List<StackTraceElement> calls) {
        return calls.stream().anyMatch(call -> call.getClassName().startsWith(SCHEDULER));
    }

    /** Returns whether the waiting caller is a scheduled method. */
    static boolean contain(WaitingLock waiting) {
        for (Map.Entry<Thread, StackTraceElement[]> thread :
                Thread.getAllStackTraces().entrySet()) {
            if (thread.getKey().getName().equals(waiting.thread()) && contain(Arrays.asList(thread.getValue()))) {
                return true;
            }
        }
        return false;
    }
}
