package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The waits of one client for many names, without threads. */
final class WorkerNames {

    private final List<CompletableFuture<Runnable>> waits = new ArrayList<>();

    WorkerNames(Contender client, String prefix, int names) {
        for (int i = 0; i < names; i++) {
            waits.add(attempt(client, prefix + i));
        }
    }

    private static CompletableFuture<Runnable> attempt(Contender client, String name) {
        try {
            return client.acquire(name, false);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** How many were acquired. Waits for all the others, but only for so long. Releases them. */
    int awaitAcquired(long seconds) {
        CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new))
                .exceptionally(failed -> null)
                .completeOnTimeout(null, seconds, TimeUnit.SECONDS)
                .join();
        int acquired = 0;
        for (CompletableFuture<Runnable> wait : waits) {
            if (wait.isDone() && !wait.isCompletedExceptionally()) {
                acquired++;
                wait.join().run();
            }
        }
        return acquired;
    }
}
