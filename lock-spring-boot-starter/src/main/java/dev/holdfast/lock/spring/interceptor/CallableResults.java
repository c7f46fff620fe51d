package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.interceptor.Acquisition.Refusal;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Work that another thread calls later, as Spring MVC does. Nothing happens until then: the calling thread waits for the lock, runs the method
 * and the work that it returns, and releases the lock. A lock that was acquired earlier would never be released if the work is never called.
 */
final class CallableResults extends BlockingResults {

    CallableResults(Class<?> elementType) {
        super(elementType);
    }

    @Override
    public Object call(LockedInvocation call, LockAcquirer acquirer) {
        return (Callable<@Nullable Object>) () -> {
            try {
                return super.call(call, acquirer);
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable other) {
                throw new UndeclaredThrowableException(other);
            }
        };
    }

    @Override
    @Nullable
    Object run(LockedInvocation call, @Nullable Lease lease) throws Throwable {
        return result(call.proceed(lease));
    }

    @Override
    @Nullable
    Object refused(Refusal refusal, LockedInvocation call) throws Throwable {
        return result(refusal.answer(call));
    }

    private static @Nullable Object result(@Nullable Object work) throws Exception {
        return work == null ? null : ((Callable<?>) work).call();
    }

    @Override
    public Object skipped() {
        return (Callable<@Nullable Object>) super::skipped;
    }
}
