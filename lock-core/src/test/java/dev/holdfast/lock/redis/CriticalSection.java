package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Counts with no synchronisation of its own: two that are inside at once lose a count. Under a reader's lock nobody counts, but whoever is
 * inside must see no count change.
 */
final class CriticalSection {

    private int count;

    private void enter() {
        int seen = count;
        // Lets others run in between: an overlap that is possible happens.
        Thread.yield();
        count = seen + 1;
    }

    private void look() {
        int seen = count;
        Thread.yield();
        if (count != seen) {
            throw new AssertionError("A writer was inside together with a reader");
        }
    }

    int count() {
        return count;
    }

    /** Enters so often under each of these locks, one thread for each, all at once; answers what the count must have grown by. */
    int enterUnder(List<? extends Lock> locks, int times, Executor threads) throws Exception {
        List<CompletableFuture<Void>> visitors = new ArrayList<>();
        for (Lock lock : locks) {
            visitors.add(CompletableFuture.runAsync(() -> enterUnder(lock, times), threads));
        }
        CompletableFuture.allOf(visitors.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
        return times * (int) locks.stream().filter(lock -> !isReader(lock)).count();
    }

    private static boolean isReader(Lock lock) {
        return lock instanceof LeaseLock lease && lease.kind() == LockKind.READ;
    }

    private void enterUnder(Lock lock, int times) {
        for (int i = 0; i < times; i++) {
            lock.lock();
            try {
                if (isReader(lock)) {
                    look();
                } else {
                    enter();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** A new thread for each task. */
    static void onThread(Runnable task) {
        Thread thread = new Thread(task, "visitor");
        thread.setDaemon(true);
        thread.start();
    }
}
