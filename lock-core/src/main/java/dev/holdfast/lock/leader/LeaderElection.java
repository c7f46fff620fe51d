package dev.holdfast.lock.leader;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.thread.AbstractLease;
import dev.holdfast.lock.internal.thread.LibraryLock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Elects one leader among the instances that take part in an election with the same name. The leader is the instance that holds the election's lock.
 * It renews the lock and leads until it steps down, is stopped, or loses its lease. The other instances wait for the lock, also through outages of
 * Redis, and one of them becomes the next leader.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElection.of(locks.getLock("reports"));
 * election.start();
 * // In the work of the leader, before each step:
 * if (election.isLeader()) {
 *     report();
 * }
 * }</pre>
 *
 * <p>{@link #isLeader()} follows the clock of the lease, not the listeners: it returns false before Redis can grant the lock to another instance, also
 * in a process that stood still or has lost Redis. A process can still pause between that check and its work: send the {@link #fencingToken()} with
 * each write to protected data. As with every lock, Redis itself can lose the key (deleted, flushed, forgotten by a failover). Then the old leader
 * leads until its next renewal beside the new one.
 *
 * <p>If a leader dies, another instance leads after at most one lease and one poll interval. If it steps down, is stopped, or is closed, the
 * listeners are told first. The lock is released as soon as they have returned, so the work of two leaders does not overlap. A listener that takes
 * longer than ten seconds loses this protection: the lock is then freed anyway. So a listener may run the leader's work in {@link
 * LeaderListener#onGranted} as a loop that ends when {@link #isLeader()} returns false. An instance whose listener has not returned after a loss is
 * not a candidate, because it would not do the work of a leader.
 *
 * <p>Thread-safe. No method waits for Redis except {@link #close()}.
 */
public final class LeaderElection implements AutoCloseable {

    /** How long listeners may delay the release of the lock. */
    private static final Duration STEP_DOWN_LIMIT = Duration.ofSeconds(10);

    /** The time until the next request, if the wait for the lock failed. An outage does not end the wait, but a missing right does. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** The time between two looks at whether the lock is free. */
    private static final Duration LOOK = Duration.ofMillis(10);

    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private static final LockLog LOG = LockLog.LOG;

    private final LibraryLock lock;
    private final AcquireOptions options;
    private final Duration stepDownLimit;
    private final Background background;
    private final List<LeaderListener> listeners = new CopyOnWriteArrayList<>();
    /** Set from the grant to the end of the leadership. Only the lease itself knows whether it is still held. */
    private volatile @Nullable AbstractLease leadership;
    /** The wait for the lock. Null if this instance is not a candidate. */
    private @Nullable CompletableFuture<AbstractLease> request;
    /** Completes when the listeners were told everything so far, and the lock is released if the leadership is over. */
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

    private boolean started;
    private String lastFailure = "";

    LeaderElection(LeaseLock lock, AcquireOptions options, Duration stepDownLimit) {
        this.lock = LibraryLock.of(Objects.requireNonNull(lock, "'lock' must not be null"), "the lock of an election");
        if (!this.lock.isExclusive()) {
            throw new IllegalArgumentException("Lock '" + LogText.escape(lock.name())
                    + "' cannot be the lock of an election: several instances may hold a lock of kind " + lock.kind()
                    + " at once, and each of them would lead. Use a lock with one holder, such as getLock(\"...\")");
        }
        this.options = options.waitAtMost(FOREVER);
        this.stepDownLimit = stepDownLimit;
        this.background = this.lock.background();
    }

    /**
     * Creates an election that has not started. Sends nothing.
     *
     * @param lock the lock that the leader holds. Its name is the name of the election, and nothing else should acquire it
     * @throws IllegalArgumentException if several can hold the lock at once, such as a read lock
     */
    @CheckReturnValue
    public static LeaderElection of(LeaseLock lock) {
        return new LeaderElection(lock, AcquireOptions.defaults(), STEP_DOWN_LIMIT);
    }

    /**
     * Creates an election that has not started, with a lease of its own instead of the client's watchdog timeout. Sends nothing.
     *
     * @param lock the lock that the leader holds. Its name is the name of the election, and nothing else should acquire it
     * @param lease how long the lock stays taken after its leader died, 10 ms to 24 h. The leader renews it each time a third of this has passed
     * @throws IllegalArgumentException if several can hold the lock at once, such as a read lock
     */
    @CheckReturnValue
    public static LeaderElection of(LeaseLock lock, Duration lease) {
        return new LeaderElection(lock, AcquireOptions.defaults().lease(lease).renewed(), STEP_DOWN_LIMIT);
    }

    /** Returns the name of the election, which is the name of its lock. */
    public String name() {
        return lock.name();
    }

    /** Adds a listener, which receives every later event. */
    public void addListener(LeaderListener listener) {
        listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
    }

    /** Makes this instance a candidate. Has no effect on an election that is already started. An election that was stopped can be started again. */
    public synchronized void start() {
        started = true;
        joinAfterTelling();
    }

    /** Returns whether this instance leads now. Answers locally. */
    @CheckReturnValue
    public boolean isLeader() {
        return fencingToken().isPresent();
    }

    /** Returns the fencing token of this instance's leadership, or empty if this instance does not lead now. Answers locally. */
    public OptionalLong fencingToken() {
        Lease lease = leadership;
        return lease != null && lease.isHeld() ? OptionalLong.of(lease.fencingToken()) : OptionalLong.empty();
    }

    /**
     * Ends the leadership of this instance, which then becomes a candidate again, behind those that already wait. {@link #isLeader()} is false when
     * this method returns. Has no effect if this instance does not lead.
     */
    public synchronized void stepDown() {
        AbstractLease over = leadership;
        if (over == null) {
            return;
        }
        try {
            over.maxHold(stepDownLimit);
        } catch (IllegalMonitorStateException ended) {
            LOG.log(Level.DEBUG, "The lease ended before its leader stepped down", ended);
        }
        end(over);
    }

    /**
     * Ends the leadership and the candidacy of this instance. {@link #isLeader()} is false when this method returns.
     *
     * @return a stage that completes when the listeners have returned and Redis names this instance neither as the holder of the lock nor as waiting
     *     for it, or when the election is started again. If Redis does not answer, or other code of this instance uses the lock, it completes within
     *     ten seconds
     */
    public synchronized CompletionStage<Void> stopAsync() {
        boolean wasStarted = started;
        started = false;
        CompletableFuture<AbstractLease> unanswered = request;
        request = null;
        if (unanswered != null) {
            unanswered.cancel(false);
        }
        stepDown();
        if (wasStarted) {
            told = told.thenCompose(done -> gone(background.nanoTime() + STEP_DOWN_LIMIT.toNanos()))
                    .exceptionally(closed -> null);
        }
        return CallbackThreads.view(told, background.work());
    }

    /**
     * Completes when Redis no longer names this instance. A wait that was given up, or a lease that was granted at that moment, is taken back in the
     * background, and the next leader can only have the lock afterward.
     */
    private CompletableFuture<Void> gone(long until) {
        return lock.isInRedis().exceptionally(noAnswer -> false).thenCompose(named -> {
            // If the election has been started again, Redis may name it at any time, and its listeners would wait for
            // this.
            if (!named || isStarted() || until - background.nanoTime() <= 0) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> later = new CompletableFuture<>();
            background.compositeSteps().schedule(() -> later.complete(null), LOOK.toNanos(), TimeUnit.NANOSECONDS);
            return later.thenCompose(looked -> gone(until));
        });
    }

    private synchronized boolean isStarted() {
        return started;
    }

    /**
     * Stops this instance like {@link #stopAsync()}, and waits at most ten seconds until the lock is released. Close an election before its lock
     * client. Listeners must use {@link #stopAsync()}, because this method waits for them.
     */
    @Override
    public void close() {
        try {
            background.get(stopAsync().toCompletableFuture(), stepDownLimit.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.log(
                    Level.WARNING,
                    "The election '" + LogText.escape(name()) + "' was closed, but a listener has not returned or Redis"
                            + " does not reply. Its lock will be free when its lease ends");
        }
    }

    private synchronized void joinAfterTelling() {
        told = told.thenRun(this::join);
    }

    private synchronized void join() {
        if (!started || request != null || leadership != null) {
            return;
        }
        CompletableFuture<AbstractLease> sent = lock.acquireAsMember(options);
        request = sent;
        sent.whenComplete((lease, failure) -> answered(sent, lease, failure));
    }

    private synchronized void answered(
            CompletableFuture<AbstractLease> sent, @Nullable AbstractLease lease, @Nullable Throwable failure) {
        if (request != sent) {
            if (lease != null) {
                release(lease);
            }
            return;
        }
        request = null;
        if (lease == null) {
            failed(failure);
            return;
        }
        lastFailure = "";
        leadership = lease;
        long token = lease.fencingToken();
        LOG.log(Level.INFO, "Leads '" + LogText.escape(name()) + "' with fencing token " + token);
        LeaderEvent.Granted granted = new LeaderEvent.Granted(name(), token);
        tell(listener -> listener.onGranted(granted));
        lease.loss().thenAccept(loss -> end(lease));
    }

    /** Releases a lease. The future completes on a thread of the library, as that of the acquisition does, because callers' threads may be blocked. */
    private static CompletableFuture<Void> release(AbstractLease lease) {
        return lease.releaseAsPart(0);
    }

    private void failed(@Nullable Throwable failure) {
        String reason = String.valueOf(Failures.unwrapped(failure));
        if (!reason.equals(lastFailure)) {
            lastFailure = reason;
            LOG.log(
                    Level.WARNING,
                    "This instance is not a candidate for '" + LogText.escape(name()) + "' and tries again every "
                            + LogText.time(RETRY) + ": " + reason);
        }
        background.compositeSteps().schedule(this::joinAfterTelling, RETRY.toNanos(), TimeUnit.NANOSECONDS);
    }

    private synchronized void end(AbstractLease over) {
        if (leadership != over) {
            return;
        }
        leadership = null;
        long token = over.fencingToken();
        LOG.log(Level.INFO, "No longer leads '" + LogText.escape(name()) + "' with fencing token " + token);
        LeaderEvent.Revoked revoked = new LeaderEvent.Revoked(name(), token);
        tell(listener -> listener.onRevoked(revoked));
        told = told.thenCompose(done -> release(over))
                .exceptionally(lost -> null)
                .thenRun(this::join);
    }

    private void tell(Consumer<LeaderListener> event) {
        told = told.thenRunAsync(
                () -> listeners.forEach(listener -> CallbackThreads.run(() -> event.accept(listener))),
                background.work());
    }
}
