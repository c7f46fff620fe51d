package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.AroundLock.RunEnd;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * A lease that an annotated call shares with calls inside it. The last sharer releases it, because work and transactions may last longer than the
 * call. Thread-safe.
 */
public final class SharedLease {

    private static final Log LOG = LogFactory.getLog(SharedLease.class);

    private final List<String> names;
    private final LockCall call;
    private final Lease lease;
    private final List<AroundLock> around;
    /** Null until a call asks to be interrupted. */
    private @Nullable LossInterrupts interrupts;

    private int sharers = 1;
    private volatile boolean keptByTransaction;
    private volatile @Nullable Long begunNanos;
    private volatile boolean failed;
    private volatile @Nullable Throwable thrown;

    SharedLease(List<String> names, LockCall call, Lease lease, List<AroundLock> around) {
        this.names = names;
        this.call = call;
        this.lease = lease;
        this.around = around;
    }

    public List<String> names() {
        return names;
    }

    public LockCall call() {
        return call;
    }

    public Lease lease() {
        return lease;
    }

    public List<AroundLock> around() {
        return around;
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
        return call.operation().options().isRenewed()
                ? Optional.empty()
                : options.givenLease().filter(needed -> lease.remaining().compareTo(needed) < 0);
    }

    /** Adds a sharer. Returns false if the last sharer has already left. */
    public synchronized boolean share() {
        sharers = sharers == 0 ? 0 : sharers + 1;
        return sharers > 0;
    }

    /**
     * Removes a sharer. Returns true if it was the last one, which must release the lease.
     *
     * @param hasFailed whether the run under this lease did not succeed
     */
    synchronized boolean leave(boolean hasFailed) {
        failed |= hasFailed;
        return --sharers == 0;
    }

    /** Called by the last sharer before it releases the lease. The stage does not fail. It may be incomplete in blocking mode. */
    CompletableFuture<?> beforeRelease(boolean blocking) {
        Long begun = begunNanos;
        Duration took = begun == null ? null : Duration.ofNanos(System.nanoTime() - begun);
        RunEnd end = new RunEnd(took, failed, thrown);
        CompletableFuture<?> all = AroundLock.DONE;
        for (AroundLock feature : around) {
            // What comes behind a step that continues in the background must not block its thread.
            boolean blocks = blocking && all.isDone();
            all = all.thenCompose(done -> feature.beforeRelease(end, blocks))
                    .handle((done, failure) -> failure == null ? null : logged(failure));
        }
        return all;
    }

    /** For what features are told and cannot change any more. */
    static <T> Consumer<T> guarded(Consumer<T> moment) {
        return feature -> {
            try {
                moment.accept(feature);
            } catch (RuntimeException | Error e) {
                logged(e);
            }
        };
    }

    private static @Nullable Object logged(Throwable failure) {
        LOG.warn("A feature failed around a lock, which does not affect the lock", AroundLock.cause(failure));
        return null;
    }

    /** Interrupts the current thread when the lease is lost, until that thread closes the scope. */
    synchronized LockContext.Scope interruptOnLoss() {
        if (interrupts == null) {
            interrupts = new LossInterrupts(lease);
        }
        return interrupts.enter();
    }

    /** Called when a thread begins to run the method, or a part of it. */
    void enter() {
        if (begunNanos == null) {
            begunNanos = System.nanoTime();
            around.forEach(AroundLock::begun);
        }
    }

    /** Returns whether the lock has one holder at a time. */
    public boolean isExclusive() {
        return call.operation().kind().isExclusive();
    }

    boolean isKeptByTransaction() {
        return keptByTransaction;
    }

    void keepByTransaction() {
        keptByTransaction = true;
    }

    /** Called by the call that has acquired the lease, when it is about to leave. */
    void threw(Throwable failure) {
        thrown = failure;
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
        LockKind kind = call.operation().kind();
        return wanted == kind || (wanted == LockKind.READ && kind == LockKind.WRITE);
    }

    /** Returns whether a call under this lease would wait for itself if it acquired the given lock. */
    boolean blocks(LockClient asked, String name, LockKind wanted) {
        return isOf(asked, name) && call.operation().kind() == LockKind.READ && wanted == LockKind.WRITE;
    }

    private boolean isOf(LockClient asked, String name) {
        return call.client() == asked && names.contains(name) && lease.isHeld();
    }

    /** Returns whether this lease is held and belongs to the given lock, which must come from the same client. */
    public boolean isOf(LeaseSource lock) {
        return isOf(call.client(), lock.name()) && lock.equals(ofSameClient(lock));
    }

    private LeaseSource ofSameClient(LeaseSource lock) {
        LockClient client = call.client();
        return switch (lock.kind()) {
            case SEMAPHORE -> client.getSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            case FAIR_SEMAPHORE -> client.getFairSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            case REENTRANT, FAIR, READ, WRITE -> client.getLock(lock.name(), lock.kind());
        };
    }
}
