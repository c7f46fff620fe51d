package dev.holdfast.lock.spring.interceptor;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/** Lets Micrometer's context propagation carry the caller's locks. A class of its own, because that library is optional. */
final class CallerContextAccessor implements ThreadLocalAccessor<CallerContext> {

    static void register() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new CallerContextAccessor());
    }

    @Override
    public Object key() {
        return CallerContext.KEY;
    }

    @Override
    public @Nullable CallerContext getValue() {
        return CallerContext.capture();
    }

    @Override
    public void setValue(CallerContext caller) {
        caller.restore();
    }

    @Override
    public void setValue() {
        CallerContext.NONE.restore();
    }
}
