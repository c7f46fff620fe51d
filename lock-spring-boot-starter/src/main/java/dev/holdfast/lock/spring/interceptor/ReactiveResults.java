package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Results that are published: nothing happens until somebody subscribes. Each subscriber takes the lock for itself, without blocking its
 * thread, then the body is called, and the lock is given back when what it published has ended or the subscriber has cancelled.
 *
 * <p>The holds travel in the Reactor context, since the work may go on on any thread. In a class of its own, loaded only where Reactor is
 * there.
 */
final class ReactiveResults implements ResultHandling {

    private final boolean single;

    private ReactiveResults(boolean single) {
        this.single = single;
    }

    static @Nullable ReactiveResults of(Method method) {
        Class<?> type = method.getReturnType();
        if (type == Mono.class) {
            return new ReactiveResults(true);
        }
        return type == Flux.class || type == Publisher.class ? new ReactiveResults(false) : null;
    }

    @Override
    public Object call(GuardedCall call, Entrance entrance) {
        return single
                ? Mono.deferContextual(context -> Mono.usingWhen(
                                Mono.fromSupplier(() -> new Visit(call, entrance, context)),
                                visit -> Mono.fromDirect(visit.publisher()),
                                visit -> visit.end(null),
                                Visit::end,
                                visit -> visit.end(null))
                        .onErrorMap(ReactiveResults::asThrown))
                : Flux.deferContextual(context -> Flux.usingWhen(
                                Mono.fromSupplier(() -> new Visit(call, entrance, context)),
                                Visit::publisher,
                                visit -> visit.end(null),
                                Visit::end,
                                visit -> visit.end(null))
                        .onErrorMap(ReactiveResults::asThrown));
    }

    /** Reactor wraps what goes wrong at the end of a stay; a loss is told as what it is. */
    private static Throwable asThrown(Throwable thrown) {
        return thrown.getClass() == RuntimeException.class && thrown.getCause() instanceof LeaseLostException lost
                ? lost
                : thrown;
    }

    @Override
    public Object skipped() {
        return single ? Mono.empty() : Flux.empty();
    }

    /**
     * One subscriber's stay. It is there before the first lock is asked for, so that a cancellation finds it whenever it comes; what it has by
     * then is given back once.
     */
    private static final class Visit {

        private final GuardedCall call;
        private final Surroundings around;
        private final CompletableFuture<Entry> asked;
        private final AtomicBoolean ended = new AtomicBoolean();

        Visit(GuardedCall call, Entrance entrance, ContextView context) {
            this.call = call;
            Holds travelling = context.getOrDefault(Holds.class, null);
            Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
            this.around = new Surroundings(travelling == null ? Holds.here() : travelling, observation);
            this.asked = entrance.enterAsync(call, around);
        }

        Publisher<Object> publisher() {
            return Mono.fromFuture(asked, true).flatMapMany(this::body);
        }

        private Publisher<Object> body(Entry entry) {
            try {
                if (entry instanceof Refusal refusal) {
                    return published(refusal.answer(call));
                }
                Admission admission = (Admission) entry;
                try (LockContext.Scope inside = admission.goInside()) {
                    Context carried =
                            Context.of(Holds.class, around.and(admission).holds());
                    Observation observation = admission.observation();
                    if (observation != null) {
                        carried = carried.put(ObservationThreadLocalAccessor.KEY, observation);
                    }
                    return Flux.from(published(call.proceed(admission.lease()))).contextWrite(carried);
                }
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
        }

        /** What the method declares; null is nothing published. */
        @SuppressWarnings("unchecked")
        private static Publisher<Object> published(@Nullable Object result) {
            return result == null ? Flux.empty() : (Publisher<Object>) result;
        }

        /** Gives up what is still asked for, and gives back what was got. */
        Publisher<Void> end(@Nullable Throwable failure) {
            return Mono.defer(() -> {
                if (!ended.compareAndSet(false, true) || asked.cancel(false)) {
                    return Mono.empty();
                }
                if (asked.isCompletedExceptionally() || !(asked.join() instanceof Admission admission)) {
                    return Mono.empty();
                }
                return Mono.fromFuture(admission.giveBackAsync(failure), true)
                        .flatMap(thrown -> thrown == failure ? Mono.empty() : Mono.error(thrown));
            });
        }
    }
}
