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
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Results that are published: every type that Spring's registry can adapt. Each subscriber acquires the lock for itself, without blocking, and
 * releases it at its end or cancellation. Reactor's context carries the locks to other threads. This class is loaded only if Reactor is available.
 */
record ReactiveResults(ReactiveAdapter adapter, boolean reactor) implements ResultHandling {

    /** Null for types that cannot be adapted, and for those whose work has begun when the method returns. */
    static @Nullable ReactiveResults of(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        // A subclass of an adapted type could not be created.
        return adapter == null
                        || adapter.getReactiveType() != type
                        || !adapter.getDescriptor().isDeferred()
                ? null
                : new ReactiveResults(adapter, type == Mono.class || type == Flux.class);
    }

    @Override
    public Object call(LockedInvocation call, LockAcquirer acquirer) {
        // Other libraries have no context that could carry the caller's locks to the subscription.
        CallerContext assembled = reactor ? CallerContext.NONE : CallerContext.current();
        Flux<Object> results = Flux.deferContextual(context -> Flux.usingWhen(
                        Mono.fromSupplier(() -> new Subscription(call, acquirer, context, assembled)),
                        subscription -> subscription.publisher(adapter),
                        subscription -> subscription.end(null),
                        Subscription::end,
                        subscription -> subscription.end(null))
                .onErrorMap(ReactiveResults::asThrown));
        // A single value is passed on when the lock has been released.
        return adapter.fromPublisher(adapter.isMultiValue() ? results : results.singleOrEmpty());
    }

    /** Reactor wraps what the release throws; the subscriber receives a loss as it is. */
    private static Throwable asThrown(Throwable thrown) {
        return thrown.getClass() == RuntimeException.class && thrown.getCause() instanceof LeaseLostException lost
                ? lost
                : thrown;
    }

    @Override
    public Object skipped() {
        return adapter.fromPublisher(Mono.empty());
    }

    @Override
    public boolean canSkip() {
        return adapter.supportsEmpty();
    }

    /** The call of one subscriber. It exists before the first lock is requested: a cancellation reaches it at any time. */
    private static final class Subscription {
        private final LockedInvocation call;
        private final ContextView context;
        private final CallerContext caller;
        private final CompletableFuture<Acquisition> asked;
        private final AtomicBoolean ended = new AtomicBoolean();

        Subscription(LockedInvocation call, LockAcquirer acquirer, ContextView context, CallerContext assembled) {
            this.call = call;
            this.context = context;
            CallerContext carried = context.getOrDefault(CallerContext.KEY, null);
            Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
            CallerContext known = carried == null ? CallerContext.current() : carried;
            CallerContext outer = known.held().isEmpty() ? assembled : known;
            this.caller = AcquiredLocks.TRANSACTIONS ? ReactiveTransactionRelease.held(context, outer) : outer;
            this.asked = acquirer.acquireAsync(call, caller, observation);
        }

        Publisher<Object> publisher(ReactiveAdapter adapter) {
            return Mono.fromFuture(asked, true).flatMapMany(acquisition -> body(acquisition, adapter));
        }

        private Publisher<Object> body(Acquisition acquisition, ReactiveAdapter adapter) {
            try {
                if (acquisition instanceof Refusal refusal) {
                    return published(refusal.answer(call), adapter);
                }
                AcquiredLocks locks = (AcquiredLocks) acquisition;
                if (AcquiredLocks.TRANSACTIONS) {
                    ReactiveTransactionRelease.keep(locks, context);
                }
                try (LockContext.Scope inside = locks.enter()) {
                    Context carried = Context.of(CallerContext.KEY, locks.over(caller));
                    Observation observation = locks.observation();
                    if (observation != null) {
                        carried = carried.put(ObservationThreadLocalAccessor.KEY, observation);
                    }
                    return Flux.from(published(call.proceed(locks.lease()), adapter))
                            .contextWrite(carried);
                }
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
        }

        private static Publisher<Object> published(@Nullable Object result, ReactiveAdapter adapter) {
            return result == null ? Flux.empty() : adapter.toPublisher(result);
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
