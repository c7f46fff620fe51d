package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Inside;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Progress;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One lock of one call under observation: first the asking, then the hold. Both are part of what the call is part of. */
final class ObservedCall implements Progress {

    private final LockObservations observations;
    private final LockCall call;
    private final @Nullable Observation parent;
    private final Observation asking;
    private volatile @Nullable Observation hold;

    ObservedCall(LockObservations observations, LockCall call) {
        this.observations = observations;
        this.call = call;
        this.parent = observations.around(call);
        this.asking = observations
                .create(LockObservations.ACQUIRE, "acquire", call, parent)
                .start();
    }

    @Override
    public void onAcquired(Duration waited, long fencingToken) {
        end("acquired");
        hold = observations
                .create(LockObservations.HOLD, "hold", call, parent)
                .highCardinalityKeyValue("token", Long.toString(fencingToken))
                .start();
    }

    @Override
    public void onBusy(Duration waited, boolean skipped) {
        end(skipped ? "skipped" : "busy");
    }

    @Override
    public void onUnavailable(Duration waited, boolean proceeds) {
        end("unavailable");
    }

    @Override
    public void onFailed(Duration waited, Throwable failure) {
        asking.error(failure);
        end("failed");
    }

    private void end(String outcome) {
        asking.lowCardinalityKeyValue("outcome", outcome).stop();
    }

    @Override
    public Inside enterBody() {
        Observation held = hold;
        return held == null ? Inside.NOTHING : held.openScope()::close;
    }

    @Override
    public Map<Object, Object> carry() {
        Observation held = hold;
        return held == null ? Map.of() : Map.of(ObservationThreadLocalAccessor.KEY, held);
    }

    @Override
    public void onLost(LeaseLoss loss) {
        Observation held = hold;
        if (held != null) {
            held.error(new LeaseLostException(loss));
        }
    }

    @Override
    public void onReleased(Duration held) {
        Observation holding = hold;
        if (holding != null) {
            holding.stop();
        }
    }
}
