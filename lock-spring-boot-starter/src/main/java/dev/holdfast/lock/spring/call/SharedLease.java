package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * A lease that an annotated call shares with calls inside it. The last sharer releases it, because work and transactions may last longer than the
 * call.
 */
public record SharedLease(
        LockClient client,
        List<String> names,
        LockRequest request,
        Lease lease,
        List<AroundLock> around,
        Sharers sharers) {

    private static final RateLimitedLog LOG = new RateLimitedLog(LogFactory.getLog(SharedLease.class));
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);

    SharedLease(LockClient client, List<String> names, LockRequest request, Lease lease, List<AroundLock> around) {
        this(client, names, request, lease, around, new Sharers());
    }

    /** Who uses the lease: calls, and a transaction. Thread-safe. */
    static final class Sharers {
        private int count = 1;
        private volatile boolean keptByTransaction;
        private volatile boolean begun;
        private volatile boolean failed;

        private synchronized boolean add() {
            count = count == 0 ? 0 : count + 1;
            return count > 0;
        }

        private synchronized boolean remove() {
            count--;
            return count == 0;
        }
    }

    /** Returns the lease for a call inside, which cannot release it. A proxy also passes on methods that {@link Lease} does not have yet. */
    public Lease borrowed() {
        return (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "close" -> null;
                    case "releaseAsync" -> CompletableFuture.completedFuture(null);
                    default -> AopUtils.invokeJoinpointUsingReflection(lease, method, arguments);
                });
    }

    /** Returns the lease time that a call inside needs; empty if this lease is renewed or has at least that much time left. */
    Optional<Duration> extensionFor(AcquireOptions options) {
        return request.operation().options().isRenewed()
                ? Optional.empty()
                : options.givenLease().filter(needed -> lease.remaining().compareTo(needed) < 0);
    }

    /** Adds a sharer. Returns false if the last sharer has already left. */
    public boolean share() {
        return sharers.add();
    }

    /** Removes a sharer. Returns true if it was the last one, which must release the lease. */
    boolean leave() {
        return sharers.remove();
    }

    /** Called by the last sharer before it releases the lease. */
    CompletableFuture<?> beforeRelease(boolean blocking) {
        CompletableFuture<?> all = AroundLock.DONE;
        for (AroundLock feature : around) {
            all = all.thenCompose(done -> feature.beforeRelease(sharers.failed, blocking));
        }
        return all;
    }

    /** Called when a thread begins to run the method, or a part of it. */
    void enter() {
        if (!sharers.begun) {
            sharers.begun = true;
            around.forEach(AroundLock::begun);
        }
    }

    /** Returns whether the lock has one holder at a time. */
    public boolean isExclusive() {
        LockKind kind = request.operation().kind();
        return kind != LockKind.READ && !kind.isSemaphore();
    }

    boolean isKeptByTransaction() {
        return sharers.keptByTransaction;
    }

    void keepByTransaction() {
        sharers.keptByTransaction = true;
    }

    /** Records that the run under this lease did not succeed. */
    void fail() {
        sharers.failed = true;
    }

    /** Returns whether a call under this lease need not acquire the given lock. */
    boolean covers(LockClient asked, String name, LockKind wanted) {
        return isOf(asked, name) && includes(wanted);
    }

    /** Returns whether code under this lease need not acquire the given lock. */
    public boolean covers(LeaseSource lock) {
        return isOf(lock) && includes(lock.kind());
    }

    private boolean includes(LockKind wanted) {
        LockKind kind = request.operation().kind();
        return wanted == kind || (wanted == LockKind.READ && kind == LockKind.WRITE);
    }

    /** Returns whether a call under this lease would wait for itself if it acquired the given lock. */
    boolean blocks(LockClient asked, String name, LockKind wanted) {
        return isOf(asked, name) && request.operation().kind() == LockKind.READ && wanted == LockKind.WRITE;
    }

    private boolean isOf(LockClient asked, String name) {
        return client == asked && names.contains(name) && lease.isHeld();
    }

    /** Returns whether this lease is held and belongs to the given lock, which must come from the same client. */
    public boolean isOf(LeaseSource lock) {
        return isOf(client, lock.name()) && lock.equals(ofSameClient(lock));
    }

    private LeaseSource ofSameClient(LeaseSource lock) {
        return switch (lock.kind()) {
            case SEMAPHORE -> client.getSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            case FAIR_SEMAPHORE -> client.getFairSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            default -> client.getLock(lock.name(), lock.kind());
        };
    }

    /** One lock of one call. The call either acquired the lock (it is its own) or borrows it from the call around it. */
    public record AcquiredLock(LockRequest request, SharedLease shared, boolean own) implements AroundLock.HeldLock {

        Lease lease() {
            return own ? shared.lease() : shared.borrowed();
        }

        @Override
        public LockOperation operation() {
            return request.operation();
        }

        @Override
        public boolean share() {
            return shared.share();
        }

        @Override
        public void keepOnThread() {
            shared.keepByTransaction();
        }

        @Override
        public void leaveThread() {
            CallerContext.leave(shared);
        }

        @Override
        public boolean isHeld() {
            return shared.lease().isHeld();
        }

        boolean interruptsOnLoss() {
            return request.operation().settings().onLost() == OnLost.INTERRUPT;
        }

        /**
         * Leaves the lease; the last sharer releases it. Returns the loss that the caller must receive if the lease was lost before.
         *
         * @param failed whether the call, or the transaction that kept its lock, has failed
         */
        @Override
        @Nullable
        public LeaseLostException release(boolean failed) {
            if (!leave(failed)) {
                return loss();
            }
            try {
                shared.beforeRelease(true).join();
                return lossIn(shared.lease()::close);
            } finally {
                shared.around().forEach(AroundLock::released);
            }
        }

        /**
         * Does the same as {@link #release} without blocking. If Redis does not answer in time, completes and lets the release continue in the
         * background.
         */
        @Override
        public CompletableFuture<@Nullable LeaseLostException> releaseAsync(boolean failed) {
            if (!leave(failed)) {
                return CompletableFuture.completedFuture(loss());
            }
            return shared.beforeRelease(false).thenCompose(ended -> freeAsync());
        }

        /** Returns whether this call was the last to leave. A call that borrows the lease does not decide whether the run has failed. */
        private boolean leave(boolean failed) {
            if (own && failed) {
                shared.fail();
            }
            return shared.leave();
        }

        private CompletableFuture<@Nullable LeaseLostException> freeAsync() {
            return ReleaseTimer.limit(
                            shared.lease().releaseAsync().toCompletableFuture().copy(), RELEASE_TIMEOUT)
                    .handle((done, failure) -> {
                        LeaseLostException loss =
                                failure != null && AroundLock.cause(failure) instanceof LeaseLostException lost
                                        ? byPolicy(lost)
                                        : null;
                        shared.around().forEach(AroundLock::released);
                        return loss;
                    });
        }

        /** Returns the loss that the caller must receive; null if the lease is held or its loss is only reported. */
        @Override
        @Nullable
        public LeaseLostException loss() {
            return lossIn(shared.lease()::assertHeld);
        }

        private @Nullable LeaseLostException lossIn(Runnable step) {
            try {
                step.run();
                return null;
            } catch (LeaseLostException lost) {
                return byPolicy(lost);
            } catch (IllegalMonitorStateException released) {
                // The method released the lease itself, which is allowed.
                return null;
            }
        }

        private @Nullable LeaseLostException byPolicy(LeaseLostException lost) {
            // Recorded here as well, because the lease's callback may come later than the release.
            shared.around().forEach(feature -> feature.lost(lost.loss()));
            if (request.operation().settings().onLost() != OnLost.REPORT) {
                return lost;
            }
            LOG.warn(request.operation().signature() + " ran on without its lock: " + lost.getMessage());
            return null;
        }
    }
}
