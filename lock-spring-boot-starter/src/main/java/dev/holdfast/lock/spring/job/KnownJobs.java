package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.RecordLines;
import dev.holdfast.lock.spring.call.StarterThreads;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.TickRecord.Gap;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this instance knows of jobs: those that run once per tick, and the runs whose end Redis has not confirmed. A job whose lock has a key is known
 * from its first call on, until a thousand others have come after it. Thread-safe.
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

    /**
     * What this instance knows of the ticks of one job: what its record said last, why calls did not run, and how runs ended that could not write it.
     * Thread-safe.
     */
    static final class KnownJob {

        /** The most ticks of which this instance remembers something, and the most missed ones that are told apart. */
        private static final int MOST = 100;

        private static final int MOST_MISSED = 1_000;
        private static final int MOST_LINES = 5;
        private static final int MOST_UNWRITTEN = 20;

        /** What a paused call is refused with. */
        public static final String PAUSED = "paused";

        /** Nobody knows why: the instance that ran the next tick did not fire this one, or had not started yet. */
        private static final String NOT_FIRED = "not-fired";

        private static final String BEFORE_START = "before-start";
        private static final String SEVERAL = "several-reasons";

        private final String lockName;
        private final LockOperation operation;
        private final Ticks ticks;
        private Instant since = Instant.now();
        private final NavigableMap<Instant, String> refused = new TreeMap<>();
        private final Map<Run, Run> unwritten = new LinkedHashMap<>();
        private @Nullable Seen seen;

        /** What the record said at a time of the server. The last number is the time of this process. */
        public record Seen(Reading reading, long nanos) {
            public TickRecord record() {
                return TickRecord.of(reading.text());
            }

            public Instant time() {
                return reading.time();
            }

            /** Returns what it said, and the server's time now. */
            public Reading atNow() {
                return new Reading(reading.text(), now());
            }

            /** Returns the server's time now, in milliseconds as the server's. */
            public Instant now() {
                return time().plusMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos));
            }
        }

        KnownJob(String lockName, LockOperation operation, Ticks ticks) {
            this.lockName = lockName;
            this.operation = operation;
            this.ticks = ticks;
        }

        public String lockName() {
            return lockName;
        }

        public LockOperation operation() {
            return operation;
        }

        /** Returns the first tick after a time; null if there is none. */
        public @Nullable Instant next(Instant time) {
            return ticks.around(time).next();
        }

        /** Returns how long after a tick its run may begin. */
        public Duration late(Instant tick) {
            return ticks.late(tick);
        }

        /** Reads the record, and remembers what it says. */
        public Seen read(LockClient client) {
            return saw(client.getRecord(lockName).read());
        }

        /** Answers may come in another order than that of the readings. */
        synchronized Seen saw(Reading reading) {
            Seen now = new Seen(reading, System.nanoTime());
            if (seen == null) {
                since = reading.time();
            }
            if (seen == null || !reading.time().isBefore(seen.time())) {
                seen = now;
            }
            if (!unwritten.isEmpty()) {
                RecordLines lines = RecordLines.of(reading.text());
                unwritten.values().removeIf(ended -> lines.all().contains(ended.text()));
            }
            return now;
        }

        /** Returns what the record said last; null if this instance has not read it yet. */
        public synchronized @Nullable Seen seen() {
            return seen;
        }

        /** Returns the server's time, or this instance's if the server was not asked yet. */
        public Instant now() {
            Seen last = seen();
            return last == null ? Instant.now() : last.now();
        }

        /** A call at this time did not run its tick. */
        void refused(String reason) {
            Instant tick = ticks.due(now(), null);
            if (tick != null) {
                synchronized (this) {
                    refused.put(tick, reason);
                    if (refused.size() > MOST) {
                        refused.pollFirstEntry();
                    }
                }
            }
        }

        /** Returns since when this instance knows the job, by the server's clock; by its own until the server was asked. */
        public synchronized Instant since() {
            return since;
        }

        /** Returns whether it knows how a run ended of which Redis does not. */
        synchronized boolean hasUnwritten() {
            return !unwritten.isEmpty();
        }

        /** A run ended, and its record does not say so. The next run on this instance writes it. */
        synchronized void unwritten(Run begun, Run ended) {
            unwritten.put(begun, ended);
            if (unwritten.size() > MOST_UNWRITTEN) {
                unwritten.remove(unwritten.keySet().iterator().next());
            }
        }

        synchronized TickRecord corrected(TickRecord record) {
            TickRecord corrected = record;
            for (Map.Entry<Run, Run> each : unwritten.entrySet()) {
                corrected = corrected.replaced(each.getKey(), each.getValue());
            }
            return corrected;
        }

        /** Returns the ticks between two, which nobody ran, the newest first, and why, as far as this instance knows. */
        public List<Gap> missed(Instant after, Instant before) {
            List<Gap> missed = new ArrayList<>();
            Instant tick = next(after);
            for (int count = 0; tick != null && tick.isBefore(before) && count < MOST_MISSED; count++) {
                add(missed, tick);
                tick = next(tick);
            }
            return missed;
        }

        private void add(List<Gap> missed, Instant tick) {
            String reason = reason(tick);
            Gap newest = missed.isEmpty() ? null : missed.get(0);
            if (newest == null || (!newest.reason().equals(reason) && missed.size() < MOST_LINES)) {
                missed.add(0, new Gap(tick, tick, 1, reason));
            } else {
                String both = newest.reason().equals(reason) ? reason : SEVERAL;
                missed.set(0, new Gap(newest.tick(), tick, newest.count() + 1, both));
            }
        }

        private synchronized String reason(Instant tick) {
            String known = refused.get(tick);
            return known != null ? known : tick.isBefore(since) ? BEFORE_START : NOT_FIRED;
        }
    }
}
