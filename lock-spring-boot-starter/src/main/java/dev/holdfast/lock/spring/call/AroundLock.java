package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * What a feature does around one lock that one annotated call acquires. A call with two locks has two of them. The methods are called in the order in
 * which they are declared here, once for the lock; but {@link #beforeMethod}, {@link #enter} and {@link #carry} as often as threads run a part of the
 * method. A call that borrows the lock of an outer call has nothing around it, unless the lease cannot be extended for it. A call that runs without
 * its lock was {@link #refused}, and hears no more.
 *
 * <p>Up to {@link #enter}, a feature that throws fails the call, which releases its lock. What it throws later, or when it is told that the call was
 * refused or has failed, is logged and changes nothing: the other features are told, and the lock is released.
 *
 * <p>Acquiring, holding and releasing know no feature, and features know nothing of each other. {@code LockInterceptionConfiguration}
 * has their list, which is the order in which they are asked. In blocking mode, the calling thread takes each step, and each stage is complete when
 * it is returned.
 */
public interface AroundLock {

    CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    /**
     * One lock that one call needs.
     *
     * @param names its names in Redis, which form one lock
     * @param context the subscriber's context, which is Reactor's; null for a call that blocks
     * @param value evaluates an expression over the call
     * @param proxied shares its attributes with the other attempts of an advice that repeats the call; null if none can
     */
    record LockCall(
            LockOperation operation,
            List<String> names,
            LockClient client,
            @Nullable Object context,
            Function<KeyExpression, @Nullable Object> value,
            @Nullable ProxyMethodInvocation proxied) {}

    /**
     * How a call has ended, and the transaction that kept its lock.
     *
     * @param took the time since a thread began to run the method; null if none did, for example because another lock of the call was busy
     * @param thrown what the method, or the work behind its result, has thrown; null if it has succeeded, or only its transaction has failed
     */
    record RunEnd(
            @Nullable Duration took,
            boolean failed,
            @Nullable Throwable thrown) {}

    /** A lock of a call, for a feature that keeps it for longer than the call. */
    interface HeldLock {

        LockOperation operation();

        /** Keeps the lock until {@link #release} is called once more. Returns false if it is released already. */
        boolean share();

        /** Lets the thread's context keep the lock when the call returns, until {@link #leaveThread()}. */
        void keepOnThread();

        void leaveThread();

        boolean isHeld();

        /** Returns the loss that the caller must receive; null if the lease is held or its loss is only reported. */
        @Nullable
        LeaseLostException loss();

        /** Leaves the lock. Returns the loss that the caller must receive; in blocking mode, at once. */
        CompletableFuture<@Nullable LeaseLostException> release(boolean failed, boolean blocking);
    }

    /** The call is about to request the lock. A stage of this or of {@link #whenHeld} refuses the call by failing with {@link Refusal.ByFeature}. */
    default CompletableFuture<?> beforeRequest(boolean blocking) {
        return DONE;
    }

    /** The call holds the lock. Another feature may still refuse the call. */
    default CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
        return DONE;
    }

    /** No feature has refused the call, so its lock is acquired. */
    default void acquired(Lease lease) {}

    /** The call does not get the lock. It may run without it: {@link Refusal#proceeds()} tells. */
    default void refused(Refusal refusal) {}

    /** The call fails, because the lock could not even be requested. */
    default void failed(Throwable failure) {}

    /** The call has all its locks, and is about to run the method. */
    default void beforeMethod(HeldLock lock) {}

    /** A thread begins to run the method, for the first time in this call. May be any thread, and must not block. */
    default void begun() {}

    /** A thread runs the method, or a part of it, until it closes the scope. */
    default LockContext.Scope enter() {
        return () -> {};
    }

    /** Adds what the reactive context of the method needs, by its key. */
    default void carry(BiConsumer<Object, Object> context) {}

    /**
     * The last one that shares the lock has left. The lock is released when the stage has ended, even if it fails. Also in blocking mode, a stage may be
     * incomplete: then both continue in the background, and the call does not wait for them.
     */
    default CompletableFuture<?> beforeRelease(RunEnd end, boolean blocking) {
        return DONE;
    }

    /** The lease ended before its release. May be called more than once, and on any thread. */
    default void lost(LeaseLoss loss) {}

    /** The lock is released. */
    default void released() {}

    /** Returns an answer, which is complete in blocking mode. A failure to ask is an answer, too. */
    static <T> CompletableFuture<T> answer(
            boolean blocking, Supplier<? extends T> sync, Supplier<? extends CompletionStage<T>> async) {
        try {
            return blocking
                    ? CompletableFuture.completedFuture(sync.get())
                    : async.get().toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns the failure of a future without the wrapper that the JDK puts around it. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
