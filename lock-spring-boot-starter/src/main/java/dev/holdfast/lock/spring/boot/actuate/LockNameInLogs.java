package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.util.ClassUtils;

/**
 * Shows in each log line of a body which lock it has: the lock's name stands in the logs' mapped diagnostic context while a thread is inside.
 * Where Micrometer's context propagation is there, the name goes along to other threads as everything else does.
 */
public final class LockNameInLogs implements LockCallListener {

    private static final boolean PROPAGATION =
            ClassUtils.isPresent("io.micrometer.context.ContextRegistry", LockNameInLogs.class.getClassLoader());

    private final String mdcKey;
    private final @Nullable Object carriedAs;

    /**
     * Creates the listener.
     *
     * @param mdcKey where the name stands
     */
    public LockNameInLogs(String mdcKey) {
        this.mdcKey = mdcKey;
        this.carriedAs = PROPAGATION ? LockNameAccessor.register(mdcKey) : null;
    }

    @Override
    public Progress onCall(LockCall call) {
        String name = String.join(", ", call.lockNames());
        return new Progress() {

            @Override
            public Inside enterBody() {
                String outer = MDC.get(mdcKey);
                MDC.put(mdcKey, name);
                return () -> restore(outer);
            }

            @Override
            public Map<Object, Object> carry() {
                return carriedAs == null ? Map.of() : Map.of(carriedAs, name);
            }
        };
    }

    private void restore(@Nullable String outer) {
        if (outer == null) {
            MDC.remove(mdcKey);
        } else {
            MDC.put(mdcKey, outer);
        }
    }
}
