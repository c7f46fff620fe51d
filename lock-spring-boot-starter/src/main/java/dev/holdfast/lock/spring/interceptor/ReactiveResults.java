package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.interceptor.LockAcquirer.Acquisition;
import dev.holdfast.lock.spring.interceptor.LockAcquirer.Refusal;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Results that are published. Each subscriber acquires the lock for itself, without blocking, and releases it at its end or cancellation.
 * Reactor's context carries the locks to other threads. This class is loaded only if Reactor is available.
 */
record ReactiveResults(boolean single) implements ResultHandling {

    ReactiveResults(Class<?> type) {
        this(type == Mono.class);
    }

    static boolean canHandle(Class<?> type) {
        return type == Mono.class || type == Flux.class || type == Publisher.class;
    }

    @Override
    public Object call(LockedInvocation call, LockAcquirer acquirer) {
        Flux<Object> results = Flux.deferContextual(context -> Flux.usingWhen(
                        Mono.fromSupplier(() -> new Subscription(call, acquirer, context)),
                        Subscription::publisher,
                        subscription -> subscription.end(null),
                        Subscription::end,
                        subscription -> subscription.end(null))
                .onErrorMap(ReactiveResults::asThrown));
        // A single value is passed on when the lock has been released.
        return single ? results.singleOrEmpty() : results;
    }

    /** Reactor wraps what the release throws; the subscriber receives a loss as it is. */
    private static Throwable asThrown(Throwable thrown) {
        return thrown.getClass() == RuntimeException.class && thrown.getCause() instanceof LeaseLostException lost
                ? lost
                : thrown;
    }

    @Override
    public Object skipped() {
        return single ? Mono.empty() : Flux.empty();
    }

    /** The call of one subscriber. It exists before the first lock is requested: a cancellation reaches it at any time. */
    private static final class Subscription {
        private final LockedInvocation call;
        private final CallerContext caller;
        private final CompletableFuture<Acquisition> asked;
        private final AtomicBoolean ended = new AtomicBoolean();

        Subscription(LockedInvocation call, LockAcquirer acquirer, ContextView context) {
            this.call = call;
            CallerContext carried = context.getOrDefault(CallerContext.KEY, null);
            Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
            this.caller = carried == null ? CallerContext.current() : carried;
            this.asked = acquirer.acquireAsync(call, caller, observation);
        }

        Publisher<Object> publisher() {
            return Mono.fromFuture(asked, true).flatMapMany(this::body);
        }

        private Publisher<Object> body(Acquisition acquisition) {
            try {
                if (acquisition instanceof Refusal refusal) {
                    return published(refusal.answer(call));
                }
                AcquiredLocks locks = (AcquiredLocks) acquisition;
                try (LockContext.Scope inside = locks.enter()) {
                    Context carried = Context.of(CallerContext.KEY, locks.over(caller));
                    Observation observation = locks.observation();
                    if (observation != null) {
                        carried = carried.put(ObservationThreadLocalAccessor.KEY, observation);
                    }
                    return Flux.from(published(call.proceed(locks.lease()))).contextWrite(carried);
                }
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
        }

        @SuppressWarnings("unchecked")
        private static Publisher<Object> published(@Nullable Object result) {
            return result == null ? Flux.empty() : (Publisher<Object>) result;
        }

        Publisher<Void> end(@Nullable Throwable failure) {
            return Mono.defer(() -> {
                if (!ended.compareAndSet(false, true) || asked.cancel(false)) {
                    return Mono.empty();
                }
                if (asked.isCompletedExceptionally() || !(asked.join() instanceof AcquiredLocks locks)) {
                    return Mono.empty();
                }
                return Mono.fromFuture(locks.releaseAsync(failure), true)
                        .flatMap(thrown -> thrown == failure ? Mono.empty() : Mono.error(thrown));
            });
        }
    }
}
