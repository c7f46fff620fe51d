package dev.holdfast.lock.redis.semaphore;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Who held permits of one semaphore when, on one monotonic clock. Of several permits that were held at one moment, the last was granted while
 * the others were held, so there are never more than the largest of their callers' numbers.
 */
final class PermitLedger {

    /**
     * A permit that was valid at every moment from its start to its end.
     *
     * @param number how many permits there were for its caller
     */
    record Entry(long start, long end, int number, long token) {}

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

    void add(Entry entry) {
        entries.add(entry);
    }

    int size() {
        return entries.size();
    }

    /** The most that were held at one moment. */
    int most() {
        return sweep(new ArrayList<>());
    }

    /** A line for each permit that was one too many, and for each token that came twice. */
    List<String> violations() {
        List<String> found = new ArrayList<>();
        sweep(found);
        Set<Long> tokens = new HashSet<>();
        entries.forEach(entry -> {
            if (!tokens.add(entry.token())) {
                found.add("token twice: " + entry);
            }
        });
        return found;
    }

    private int sweep(List<String> violations) {
        List<Entry> byStart = new ArrayList<>(entries);
        byStart.sort(Comparator.comparingLong(Entry::start));
        PriorityQueue<Entry> held = new PriorityQueue<>(Comparator.comparingLong(Entry::end));
        int most = 0;
        for (Entry entry : byStart) {
            while (!held.isEmpty() && held.peek().end() - entry.start() <= 0) {
                held.poll();
            }
            held.add(entry);
            most = Math.max(most, held.size());
            int allowed = held.stream().mapToInt(Entry::number).max().orElse(0);
            if (held.size() > allowed) {
                violations.add(held.size() + " held of " + allowed + ": " + held);
            }
        }
        return most;
    }
}
