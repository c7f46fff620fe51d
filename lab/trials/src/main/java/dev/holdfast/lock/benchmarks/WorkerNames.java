package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/** Acquisitions of one client for which no thread waits: of many names, or of one name many times. */
final class WorkerNames {

    private final List<CompletableFuture<Runnable>> waits = new ArrayList<>();

    /** Requests the given number of locks, and returns before the answers. */
    WorkerNames(Contender client, IntFunction<String> names, int number, boolean renewed) {
        for (int i = 0; i < number; i++) {
            waits.add(attempt(client, names.apply(i), renewed));
        }
    }

    private static CompletableFuture<Runnable> attempt(Contender client, String name, boolean renewed) {
        try {
            return client.acquire(name, renewed);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void awaitAll() {
        waits.forEach(CompletableFuture::join);
    }

    /** Releases each lock when it is acquired, and waits for all, but only for the given time. Returns how many were acquired. */
    int awaitAcquired(long seconds) {
        LongAdder acquired = new LongAdder();
        CompletableFuture.allOf(waits.stream()
                        .map(wait -> wait.thenAccept(hold -> {
                            acquired.increment();
                            hold.run();
                        }))
                        .toArray(CompletableFuture[]::new))
                .exceptionally(failed -> null)
                .completeOnTimeout(null, seconds, TimeUnit.SECONDS)
                .join();
        return acquired.intValue();
    }
}
