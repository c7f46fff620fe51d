package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the leases that annotated calls lost, by declared name, kind and cause. */
public final class CallLosses implements LockCallListener {

    private final MeterRegistry registry;

    /**
     * Creates the listener.
     *
     * @param registry where the counters go
     */
    public CallLosses(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Progress onCall(LockCall call) {
        return new Progress() {

            @Override
            public void onLost(LeaseLoss loss) {
                registry.counter(
                                LockMeters.HOLD_LOST,
                                LockMeters.tags(call).and("cause", loss.cause().name()))
                        .increment();
            }
        };
    }
}
