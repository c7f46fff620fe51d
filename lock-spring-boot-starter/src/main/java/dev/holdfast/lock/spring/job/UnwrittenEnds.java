package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.StarterThreads;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs of this instance whose end Redis has not confirmed. It is written in the background, under the lock of the run, which is released after it. A
 * client that closes waits for that as it does for running methods. Thread-safe.
 */
final class UnwrittenEnds {

    /** How long the next call waits, so that it does not find its lock held by a run that has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Map<String, End> byLock = new ConcurrentHashMap<>();

    private record End(Object run, CompletableFuture<@Nullable Void> released) {}

    void add(String lockName, Object run) {
        byLock.computeIfAbsent(lockName, name -> new End(run, new CompletableFuture<>()));
    }

    void released(Object run) {
        byLock.values().removeIf(end -> end.run() == run && end.released().complete(null));
    }

    /** Completes when no run under the lock has an end that is still to be written, or after two seconds. */
    CompletableFuture<?> written(String lockName, boolean blocking) {
        End end = byLock.get(lockName);
        if (end == null) {
            return AroundLock.DONE;
        }
        CompletableFuture<@Nullable Void> written =
                StarterThreads.limit(end.released().copy(), PATIENCE);
        if (blocking) {
            written.join();
        }
        return written;
    }
}
