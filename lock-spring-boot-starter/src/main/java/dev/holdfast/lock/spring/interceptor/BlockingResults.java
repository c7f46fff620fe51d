package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.interceptor.Acquisition.Refusal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Methods that run on the thread that waits for their locks. Unless a subclass says otherwise, the call holds its locks until the method returns. */
class BlockingResults implements ResultHandling {

    private final Class<?> type;
    private final Supplier<@Nullable Object> empty;

    /** Creates the handling of results whose value, possibly a later one, has this type. */
    BlockingResults(Class<?> type) {
        this.type = type;
        this.empty = EmptyResults.of(type);
    }

    @Override
    public @Nullable Object skipped() {
        return empty.get();
    }

    @Override
    public boolean canSkip() {
        return EmptyResults.has(type);
    }

    @Override
    public boolean staysOnThread() {
        return true;
    }

    @Override
    public @Nullable Object call(LockedInvocation call, LockAcquirer acquirer) throws Throwable {
        Acquisition acquisition = acquirer.acquire(call);
        if (acquisition instanceof Refusal refusal) {
            return refused(refusal, call);
        }
        AcquiredLocks locks = (AcquiredLocks) acquisition;
        Throwable failure = null;
        Object result = null;
        locks.keepForTransaction();
        try (LockContext.Scope scope = locks.enter()) {
            result = run(call, locks.lease());
        } catch (Throwable thrown) {
            failure = thrown;
        }
        return failure == null ? returned(result, locks) : release(locks, failure);
    }

    /** Runs the method. */
    @Nullable
    Object run(LockedInvocation call, @Nullable Lease lease) throws Throwable {
        return call.proceed(lease);
    }

    /** Answers a call that did not acquire its locks. */
    @Nullable
    Object refused(Refusal refusal, LockedInvocation call) throws Throwable {
        return refusal.answer(call);
    }

    /** The method has returned: releases the locks, now or later. */
    @Nullable
    Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
        release(locks, null);
        return result;
    }

    private static @Nullable Object release(AcquiredLocks locks, @Nullable Throwable failure) throws Throwable {
        Throwable outcome = locks.release(failure);
        if (outcome != null) {
            throw outcome;
        }
        return null;
    }
}
