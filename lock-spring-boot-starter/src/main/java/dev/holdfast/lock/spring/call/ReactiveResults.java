package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.call.BlockingResults.EmptyResults;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Handles results that are published: every type that Spring's registry can adapt. Each subscriber acquires its own lock, without blocking, and
 * releases it at its end or cancellation. Reactor's context carries the locks to other threads. This class is loaded only if Reactor is available.
 */
record ReactiveResults(
        ReactiveAdapter adapter,
        Carrier carrier,
        DeclaredResult element,
        Supplier<@Nullable Object> empty,
        boolean canSkip)
        implements ResultHandling {

    /** The means by which the caller's locks reach the subscription. */
    enum Carrier {
        REACTOR,
        COROUTINE,
        NOTHING
    }

    /** Returns the handling of a result. Null for types that cannot be adapted, and for types whose work has begun when the method returns. */
    static @Nullable ReactiveResults of(DeclaredResult declared) {
        Class<?> type = declared.raw();
        ReactiveAdapter adapter = UnfinishedWork.reactive(type);
        // An adapter cannot create an instance of a subclass.
        if (adapter == null
                || adapter.getReactiveType() != type
                || !adapter.getDescriptor().isDeferred()) {
            return null;
        }
        boolean reactor = type == Mono.class || type == Flux.class;
        Carrier carrier = declared.isFlow() ? Carrier.COROUTINE : reactor ? Carrier.REACTOR : Carrier.NOTHING;
        return new ReactiveResults(adapter, carrier, declared.element(), () -> null, adapter.supportsEmpty());
    }

    /** Returns the handling of a suspending function. Spring allows its result to be a publisher between the proxy and the target. */
    static ReactiveResults ofSuspending(DeclaredResult declared) {
        boolean flow = declared.isFlow();
        Class<?> type = declared.raw();
        ReactiveAdapter adapter = Objects.requireNonNull(UnfinishedWork.reactive(flow ? Flux.class : Mono.class));
        Supplier<@Nullable Object> empty = flow ? () -> null : EmptyResults.of(type);
        boolean mayBeNull = Nullness.forMethodReturnType(declared.method()) != Nullness.NON_NULL
                || type == void.class
                || type.getName().equals("kotlin.Unit");
        boolean canSkip = flow || (EmptyResults.has(type) && (mayBeNull || empty.get() != null));
        DeclaredResult element = flow ? declared.element() : declared.finished();
        return new ReactiveResults(adapter, Carrier.COROUTINE, element, empty, canSkip);
    }

    @Override
    public Object call(LockedInvocation call) {
        CallerContext assembled = carrier == Carrier.NOTHING ? CallerContext.current() : CallerContext.NONE;
        Flux<Object> results = Flux.deferContextual(context -> Flux.usingWhen(
                        Mono.fromSupplier(() -> new Subscription(call, context, assembled)),
                        subscription -> subscription.publisher(this),
                        subscription -> subscription.end(null),
                        Subscription::end,
                        subscription -> subscription.end(new CancellationException()))
                .transform(Operators.lift((source, subscriber) -> new WithLossAsThrown(subscriber))));
        // A single value is emitted only after the lock has been released.
        return adapter.fromPublisher(adapter.isMultiValue() ? results : results.singleOrEmpty());
    }

    /**
     * Passes a loss to the subscriber without Reactor's wrapper, which Reactor adds to what the release throws. Does the work of {@code onErrorMap},
     * which is not used: in Reactor 3.8, a cancellation that arrives while that operator is being subscribed may be lost, and with it the release.
     */
    private record WithLossAsThrown(CoreSubscriber<? super Object> subscriber) implements CoreSubscriber<Object> {
        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(org.reactivestreams.Subscription subscription) {
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(Object result) {
            subscriber.onNext(result);
        }

        @Override
        public void onError(Throwable thrown) {
            boolean isLoss =
                    thrown.getClass() == RuntimeException.class && thrown.getCause() instanceof LeaseLostException;
            subscriber.onError(isLoss ? thrown.getCause() : thrown);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
        }
    }

    @Override
    public @Nullable Object callDirectly(LockedInvocation call) throws Throwable {
        return element.isSuspending() ? CoroutineLocks.call(call, adapter.isMultiValue(), this::call) : call(call);
    }

    @Override
    public @Nullable Object atEnd(@Nullable Object[] arguments, MethodBody body) throws Throwable {
        return element.isSuspending()
                ? CoroutineLocks.started(adapter.isMultiValue(), arguments, body)
                : body.proceed(arguments);
    }

    @Override
    public Object skipped() {
        return adapter.fromPublisher(Mono.justOrEmpty(empty.get()));
    }

    /** Returns the result of a method or a fallback as a publisher. The fallback of a suspending function may return a plain value. */
    private Publisher<Object> published(@Nullable Object result) {
        ReactiveAdapter known = result == null ? null : UnfinishedWork.reactive(result.getClass());
        return known == null ? Mono.justOrEmpty(result) : known.toPublisher(result);
    }

    /** The call of one subscriber. It exists before the first lock is requested, so that a cancellation reaches it at any time. */
    private static final class Subscription {
        private final LockedInvocation call;
        private final CallerContext caller;
        private final CompletableFuture<AcquiredLocks> asked;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable CoroutineLocks coroutine;

        Subscription(LockedInvocation call, ContextView context, CallerContext assembled) {
            this.call = call;
            CallerContext carried = context.getOrDefault(CallerContext.KEY, null);
            CallerContext known = carried == null ? CallerContext.current() : carried;
            CallerContext outer = known.held().isEmpty() ? assembled : known;
            this.caller = call.withKept(outer, context);
            this.asked = call.acquireAsync(caller, context);
        }

        Publisher<Object> publisher(ReactiveResults results) {
            return Mono.fromFuture(asked, true).flatMapMany(locks -> body(locks, results));
        }

        private Publisher<Object> body(AcquiredLocks locks, ReactiveResults results) {
            try {
                if (locks.refusal() != null) {
                    return results.published(results.answer(call, locks.refusal()));
                }
                try (LockContext.Scope inside = locks.enter()) {
                    Map<Object, Object> carried = new HashMap<>(Map.of(CallerContext.KEY, locks.over(caller)));
                    locks.carry(carried::put);
                    return Flux.from(results.published(proceed(locks, results)))
                            .doOnNext(results.element()::check)
                            .contextWrite(Context.of(carried));
                }
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
        }

        private @Nullable Object proceed(AcquiredLocks locks, ReactiveResults results) throws Throwable {
            if (results.carrier != Carrier.COROUTINE) {
                return call.proceed(locks.lease());
            }
            CoroutineLocks body = new CoroutineLocks(locks.over(caller));
            coroutine = body;
            return body.proceed(call, locks.lease(), results.element.isSuspending());
        }

        Publisher<Void> end(@Nullable Throwable failure) {
            return Mono.defer(() -> {
                if (!ended.compareAndSet(false, true) || asked.cancel(false) || asked.isCompletedExceptionally()) {
                    return Mono.empty();
                }
                AcquiredLocks locks = asked.join();
                CoroutineLocks body = coroutine;
                Mono<Void> done = body == null ? Mono.empty() : Mono.fromFuture(body.ended(), true);
                return done.then(Mono.defer(() -> Mono.fromFuture(locks.release(failure, false), true)))
                        .flatMap(thrown -> thrown == failure ? Mono.empty() : Mono.error(thrown));
            });
        }
    }
}
