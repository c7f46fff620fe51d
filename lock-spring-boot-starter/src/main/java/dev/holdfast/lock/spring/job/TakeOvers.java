package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.call.ReleaseTimer;
import dev.holdfast.lock.spring.job.Once.AlreadyRan;
import dev.holdfast.lock.spring.schedule.FiredTask;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * The scheduled calls of this instance that wait for another instance's run, without a thread. When one gets the lock and its tick has not run, the
 * scheduler fires its task once more. There is one wait for each lock: that of the last call.
 */
final class TakeOvers implements ApplicationListener<ContextClosedEvent> {

    /** The word for a call that has returned to wait. */
    static final String OUTCOME = "waits";

    private static final Log LOG = LogFactory.getLog(TakeOvers.class);

    /** How long a lock is kept for a scheduler without a free thread. Then other instances have their turn. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ApplicationContext context;
    private final ConcurrentMap<String, Wait> waits = new ConcurrentHashMap<>();
    private volatile boolean closed;

    TakeOvers(ApplicationContext context) {
        this.context = context;
    }

    /** The call returns, and waits for the lock without its thread. */
    private static final class Waits extends LockException {
        private static final long serialVersionUID = 1L;

        Waits(String lockName) {
            super(
                    lockName,
                    "lock '" + LogText.escape(lockName) + "' is busy. If its run fails, this instance may run the tick",
                    null);
        }
    }

    /**
     * Returns the lease of a call that the scheduler has made. Refuses the call if the lock is busy, and lets it wait.
     *
     * @param look fails with {@link AlreadyRan} if the call has nothing to run any more
     */
    Lease lease(FiredTask fired, LockCall call, Supplier<CompletableFuture<?>> look) {
        Lease granted = fired.purpose() instanceof Wait ended ? ended.outcome() : null;
        if (granted != null) {
            return granted;
        }
        String name = call.names().get(0);
        Wait earlier = waits.get(name);
        Lease ready = earlier == null ? null : earlier.taken();
        if (ready != null) {
            return ready;
        }
        LeaseSource lock = call.client().getLock(name, call.operation().kind());
        AcquireOptions options = call.operation().options();
        try {
            Optional<Lease> free = lock.tryAcquire(options.waitAtMost(Duration.ZERO));
            if (free.isPresent()) {
                return free.get();
            }
        } catch (LockUnavailableException e) {
            if (!e.isTransient()) {
                throw e;
            }
        }
        Wait wait = new Wait(fired, lock, options, look);
        Wait before = waits.put(name, wait);
        wait.ask(options);
        // Not earlier, because the place in the queue is that of the instance: it stays if somebody waits.
        if (before != null) {
            before.cancel();
        }
        if (closed) {
            wait.cancel();
        }
        throw new Refusal.ByFeature(new Waits(name), OUTCOME, true);
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            closed = true;
            waits.values().forEach(Wait::cancel);
        }
    }

    /** One wait. It asks for the lock, is ready to run when it has an outcome, and is over when its task begins or nobody needs it any more. */
    private final class Wait implements FiredTask.Purpose {

        private enum State {
            ASKS,
            READY,
            OVER
        }

        private final FiredTask fired;
        private final LeaseSource lock;
        private final AcquireOptions options;
        private final Supplier<CompletableFuture<?>> look;
        private final long begun = System.nanoTime();
        private State state = State.ASKS;
        private @Nullable Future<?> underWay;
        private @Nullable Lease lease;
        private @Nullable RuntimeException failure;

        Wait(FiredTask fired, LeaseSource lock, AcquireOptions options, Supplier<CompletableFuture<?>> look) {
            this.fired = fired;
            this.lock = lock;
            this.options = options;
            this.look = look;
        }

        void ask(AcquireOptions asked) {
            CompletableFuture<Lease> answer = lock.acquireAsync(asked).toCompletableFuture();
            synchronized (this) {
                underWay = answer;
            }
            answer.whenComplete(this::answered);
        }

        private void answered(@Nullable Lease granted, @Nullable Throwable refused) {
            if (granted == null) {
                ready(null, exception(refused));
                return;
            }
            look.get().whenComplete((done, nothing) -> {
                if (nothing != null && AroundLock.cause(nothing) instanceof AlreadyRan) {
                    cancel();
                    granted.releaseAsync();
                } else {
                    ready(granted, null);
                }
            });
        }

        private static RuntimeException exception(@Nullable Throwable refused) {
            Throwable cause = refused == null ? null : AroundLock.cause(refused);
            return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
        }

        private void ready(@Nullable Lease granted, @Nullable RuntimeException refused) {
            synchronized (this) {
                if (state == State.ASKS) {
                    state = State.READY;
                    lease = granted;
                    failure = refused;
                    try {
                        underWay = fired.fireAgain(this);
                    } catch (RejectedExecutionException schedulerHasEnded) {
                        LOG.debug(
                                "Nobody runs what '" + LogText.escape(lock.name()) + "' was acquired for",
                                schedulerHasEnded);
                        over();
                    }
                } else if (granted != null) {
                    granted.releaseAsync();
                }
            }
            if (granted != null) {
                ReleaseTimer.limit(new CompletableFuture<>(), PATIENCE).thenRun(this::askAgainIfNotBegun);
            }
        }

        private void askAgainIfNotBegun() {
            synchronized (this) {
                if (state != State.READY) {
                    return;
                }
                state = State.ASKS;
                stop();
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - begun);
            ask(options.givenWait()
                    .map(limit -> options.waitAtMost(limit.minus(waited)))
                    .orElse(options));
        }

        /** Returns the lease, if the task has not begun yet. It does not begin then. */
        synchronized @Nullable Lease taken() {
            Lease ready = state == State.READY ? lease : null;
            if (ready != null) {
                lease = null;
                over();
            }
            return ready;
        }

        synchronized void cancel() {
            if (state != State.OVER) {
                over();
            }
        }

        private void over() {
            state = State.OVER;
            waits.remove(lock.name(), this);
            stop();
        }

        private void stop() {
            if (underWay != null) {
                underWay.cancel(false);
            }
            ended();
        }

        @Override
        public synchronized boolean begins() {
            boolean begins = state == State.READY;
            state = State.OVER;
            waits.remove(lock.name(), this);
            return begins;
        }

        /** Called in the task, by the call that needs the lock. Returns null if it has had the outcome: something around the method repeats it. */
        synchronized @Nullable Lease outcome() {
            Lease granted = lease;
            RuntimeException refused = failure;
            lease = null;
            failure = null;
            if (refused != null) {
                throw refused;
            }
            return granted;
        }

        /** Releases a lease that no call has taken. */
        @Override
        public synchronized void ended() {
            Lease left = lease;
            lease = null;
            if (left != null) {
                left.releaseAsync();
            }
        }
    }
}
