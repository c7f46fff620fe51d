package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.interceptor.LockAcquirer.Acquisition;
import dev.holdfast.lock.spring.interceptor.LockAcquirer.Refusal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Methods that run on the thread that waits for their locks. If not overridden, the call holds its locks until the method returns. */
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
            return finished(refusal.answer(call));
        }
        AcquiredLocks locks = (AcquiredLocks) acquisition;
        Object result;
        locks.keepForTransaction();
        try (LockContext.Scope scope = locks.enter()) {
            result = finished(call.proceed(locks.lease()));
        } catch (Throwable thrown) {
            release(locks, thrown);
            throw thrown;
        }
        return returned(result, locks);
    }

    /** Does what is left to do under the locks with what the method, or the answer to a refusal, returned. */
    @Nullable
    Object finished(@Nullable Object result) throws Exception {
        return result;
    }

    /** The method has returned: releases the locks, now or later. */
    @Nullable
    Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
        release(locks, null);
        return result;
    }

    private static void release(AcquiredLocks locks, @Nullable Throwable failure) throws Throwable {
        Throwable outcome = locks.release(failure);
        if (outcome != null) {
            throw outcome;
        }
    }
}
