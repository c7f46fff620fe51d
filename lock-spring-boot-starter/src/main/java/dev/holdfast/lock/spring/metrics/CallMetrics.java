package dev.holdfast.lock.spring.metrics;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;

/**
 * Meters of annotated calls, by declared name and kind. A call that re-enters a lock that the calls around it have is not measured: it
 * asks nobody, and its hold is part of theirs.
 */
public final class CallMetrics implements LockCallListener {

    private final MeterRegistry registry;

    /**
     * Creates the listener.
     *
     * @param registry where the meters go
     */
    public CallMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Progress onCall(LockCall call) {
        return new Measured(
                registry,
                Tags.of("name", call.declaredName(), "kind", call.kind().name()));
    }

    private static final class Measured implements Progress {

        private final MeterRegistry registry;
        private final Tags tags;
        private boolean reentered;

        Measured(MeterRegistry registry, Tags tags) {
            this.registry = registry;
            this.tags = tags;
        }

        private void asked(String outcome, Duration waited) {
            registry.timer(LockMeters.ACQUIRE, tags.and("outcome", outcome)).record(waited);
        }

        @Override
        public void onAcquired(Duration waited, boolean again) {
            reentered = again;
            if (!again) {
                asked("acquired", waited);
            }
        }

        @Override
        public void onBusy(Duration waited, boolean skipped) {
            asked(skipped ? "skipped" : "busy", waited);
        }

        @Override
        public void onUnavailable(Duration waited, boolean proceeds) {
            asked("unavailable", waited);
        }

        @Override
        public void onFailed(Duration waited, Throwable failure) {
            asked("failed", waited);
        }

        @Override
        public void onLost(LeaseLoss loss) {
            registry.counter(
                            LockMeters.HOLD_LOST, tags.and("cause", loss.cause().name()))
                    .increment();
        }

        @Override
        public void onReleased(Duration held) {
            if (!reentered) {
                registry.timer(LockMeters.HOLD, tags).record(held);
            }
        }
    }
}
