package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;

/**
 * Times annotated calls, by declared name and kind, where nobody observes them. A call that re-enters a lock that the calls around it have is
 * not timed: it asks nobody, and its hold is part of theirs.
 */
public final class CallTimers implements LockCallListener {

    private final MeterRegistry registry;

    /**
     * Creates the listener.
     *
     * @param registry where the timers go
     */
    public CallTimers(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Progress onCall(LockCall call) {
        return call.reentered() ? Progress.NONE : new Timed(registry, LockMeters.tags(call));
    }

    private record Timed(MeterRegistry registry, Tags tags) implements Progress {

        private void asked(String outcome, Duration waited) {
            registry.timer(LockMeters.ACQUIRE, tags.and("outcome", outcome)).record(waited);
        }

        @Override
        public void onAcquired(Duration waited, long fencingToken) {
            asked("acquired", waited);
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
        public void onReleased(Duration held) {
            registry.timer(LockMeters.HOLD, tags).record(held);
        }
    }
}
