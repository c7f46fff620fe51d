package dev.holdfast.lock.spring.interceptor;

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
    Object finished(@Nullable Object work) throws Exception {
        return work == null ? null : ((Callable<?>) work).call();
    }

    @Override
    public Object skipped() {
        return (Callable<@Nullable Object>) super::skipped;
    }
}
