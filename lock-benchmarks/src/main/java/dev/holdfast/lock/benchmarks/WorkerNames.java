package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/** The acquisitions of one client that no thread waits for: of many names, or many times of one. */
final class WorkerNames {

    private final List<CompletableFuture<Runnable>> waits = new ArrayList<>();

    /** Asks for each name as often as it is given, and returns before the answers. */
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

    /** Releases each as it comes, and waits for all, but only for so long. How many came. */
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
