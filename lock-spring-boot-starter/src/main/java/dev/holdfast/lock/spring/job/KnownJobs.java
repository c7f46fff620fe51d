package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.StarterThreads;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What this instance knows of jobs: those that run once per tick, and the runs whose end Redis has not confirmed. A job whose lock has a key is known from
 * its first call on, until a thousand others have come after it. Thread-safe.
 */
final class KnownJobs {

    /** The most jobs whose lock has a key. Those without are as many as the application declares. */
    static final int MOST_KEYS = 1_000;

    /** How long the next call waits, so that it does not find its lock held by a run that has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Map<String, KnownJob> byLockName = new ConcurrentHashMap<>();
    private final Queue<String> withKey = new ConcurrentLinkedQueue<>();
    private final List<Runnable> onAdded = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<@Nullable Void>> unwritten = new ConcurrentHashMap<>();

    KnownJob of(String lockName, LockOperation operation, Ticks ticks) {
        KnownJob known = byLockName.get(lockName);
        if (known != null) {
            return known;
        }
        KnownJob added = byLockName.computeIfAbsent(lockName, name -> {
            if (operation.key() != null) {
                withKey.add(name);
            }
            return new KnownJob(name, operation, ticks);
        });
        if (withKey.size() > MOST_KEYS) {
            String oldest = withKey.poll();
            KnownJob job = oldest == null ? null : byLockName.get(oldest);
            if (job != null && job.hasUnwritten()) {
                withKey.add(oldest);
            } else if (oldest != null) {
                byLockName.remove(oldest);
            }
        }
        onAdded.forEach(Runnable::run);
        return added;
    }

    /** Calls back when a job is added. */
    void onAdded(Runnable callback) {
        onAdded.add(callback);
    }

    Collection<KnownJob> all() {
        return byLockName.values();
    }

    boolean has(String lockName) {
        return byLockName.containsKey(lockName);
    }

    /**
     * The end of a run is written in the background, under its lock, which is released after it. A client that closes waits for that as it does for
     * running methods.
     *
     * @param released completes when the lock is released
     */
    void unwritten(String lockName, CompletableFuture<@Nullable Void> released) {
        unwritten.putIfAbsent(lockName, released);
    }

    void released(String lockName, CompletableFuture<@Nullable Void> released) {
        if (unwritten.remove(lockName, released)) {
            released.complete(null);
        }
    }

    /** Completes when no run under the lock has an end that is still to be written, or after two seconds. */
    CompletableFuture<?> written(String lockName, boolean blocking) {
        CompletableFuture<@Nullable Void> released = unwritten.get(lockName);
        if (released == null) {
            return AroundLock.DONE;
        }
        CompletableFuture<@Nullable Void> written = StarterThreads.limit(released.copy(), PATIENCE);
        if (blocking) {
            written.join();
        }
        return written;
    }
}
