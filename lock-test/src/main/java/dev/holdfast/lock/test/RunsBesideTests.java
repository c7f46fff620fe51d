package dev.holdfast.lock.test;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.leader.LeaderElection;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Recognizes runs of Spring's scheduled methods and leaders of elections. They begin and end beside every test of a context and belong to none. */
final class RunsBesideTests {

    private static final String SCHEDULER = "org.springframework.scheduling.";
    private static final String ELECTION = LeaderElection.class.getName();

    private RunsBesideTests() {}

    /** Returns whether Spring's scheduler or an election made the call. */
    static boolean contain(List<StackTraceElement> calls) {
        return calls.stream()
                .map(StackTraceElement::getClassName)
                .anyMatch(caller -> caller.startsWith(SCHEDULER) || caller.equals(ELECTION));
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
