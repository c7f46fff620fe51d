package dev.holdfast.lock.spring.boot.actuate;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Lets Micrometer's context propagation carry the lock's name from thread to thread. In a class of its own, loaded only where that library is
 * there.
 */
final class LockNameAccessor implements ThreadLocalAccessor<String> {

    private final String mdcKey;

    private LockNameAccessor(String mdcKey) {
        this.mdcKey = mdcKey;
    }

    /** Makes it known, for good: another application in this JVM that uses the same key finds the same there. */
    static Object register(String mdcKey) {
        LockNameAccessor accessor = new LockNameAccessor(mdcKey);
        ContextRegistry.getInstance().registerThreadLocalAccessor(accessor);
        return accessor.key();
    }

    @Override
    public Object key() {
        return "holdfast.lock.mdc." + mdcKey;
    }

    @Override
    public @Nullable String getValue() {
        return MDC.get(mdcKey);
    }

    @Override
    public void setValue(String name) {
        MDC.put(mdcKey, name);
    }

    @Override
    public void setValue() {
        MDC.remove(mdcKey);
    }
}
