package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import kotlinx.coroutines.reactor.MonoKt;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * The locks of a call whose body is a coroutine: a suspending function, or the collection of a Flow. They are current on each thread on which the
 * coroutine runs. A canceled coroutine may continue, for example in a finally block, and its locks are held until it has ended. This class is loaded
 * only for such calls.
 */
final class CoroutineLocks extends AbstractCoroutineContextElement implements ThreadContextElement<LockContext.Scope> {

    private static final CoroutineContext.Key<CoroutineLocks> KEY = new CoroutineContext.Key<>() {};

    private final CallerContext locks;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private volatile @Nullable Job coroutine;

    CoroutineLocks(CallerContext locks) {
        super(KEY);
        this.locks = locks;
    }

    /** Returns the locks of the innermost annotated function around a coroutine. */
    static CallerContext in(CoroutineContext context) {
        CoroutineLocks innermost = context.get(KEY);
        return innermost == null ? CallerContext.NONE : innermost.locks;
    }

    /** Runs a suspending function that its own object calls, and resumes the caller as the function itself does. */
    @SuppressWarnings("unchecked")
    static @Nullable Object call(LockedInvocation call, boolean flow, Function<LockedInvocation, Object> locked)
            throws Throwable {
        @Nullable Object[] arguments = call.arguments();
        Continuation<Object> caller = (Continuation<Object>) Objects.requireNonNull(arguments[arguments.length - 1]);
        Context outer = Context.of(CallerContext.KEY, in(caller.getContext()));
        Object result = locked.apply(call.with(inside -> started(flow, inside, call.body())));
        return result instanceof Mono<?> mono
                ? MonoKt.awaitSingleOrNull((Mono<Object>) mono.contextWrite(outer), caller)
                : ReactiveFlowKt.asFlow(((Flux<?>) result).contextWrite(outer));
    }

    /** Returns what Spring's proxies make of a suspending function: a publisher that calls it. */
    static Object started(boolean returnsFlow, @Nullable Object[] arguments, MethodBody body) {
        int last = arguments.length - 1;
        CoroutineContext context = ((Continuation<?>) Objects.requireNonNull(arguments[last]))
                .getContext()
                .minusKey(Job.Key);
        Mono<Object> called = MonoKt.mono(context, (scope, continuation) -> {
            @Nullable Object[] own = arguments.clone();
            own[last] = continuation;
            try {
                return body.proceed(own);
            } catch (Throwable thrown) {
                throw Exceptions.propagate(thrown);
            }
        });
        return returnsFlow ? called.flatMapMany(flow -> ReactorFlowKt.asFlux((Flow<?>) flow)) : called;
    }

    /** Runs the method, or collects its flow, under these locks. */
    @Nullable
    Object proceed(LockedInvocation call, @Nullable Lease lease, boolean suspending) throws Throwable {
        if (!suspending) {
            Object flow = call.proceed(lease);
            return flow == null ? Flux.empty() : ReactorFlowKt.asFlux((Flow<?>) flow, this);
        }
        @Nullable Object[] arguments = call.arguments().clone();
        int last = arguments.length - 1;
        if (arguments[last] instanceof Continuation<?> caller) {
            // Spring runs the function in the context of this argument, and resumes the caller itself.
            arguments[last] = new Inside(caller, caller.getContext().plus(this));
        }
        return call.with(arguments).proceed(lease);
    }

    /** Returns a future that completes when the coroutine has ended. It is complete if the coroutine was canceled before it started. */
    CompletableFuture<@Nullable Void> ended() {
        return coroutine == null ? CompletableFuture.completedFuture(null) : ended;
    }

    @Override
    public LockContext.Scope updateThreadContext(CoroutineContext context) {
        if (coroutine == null) {
            // The first call comes from the whole coroutine, and later calls may come from parts of it.
            Job job = context.get(Job.Key);
            coroutine = job;
            if (job != null) {
                job.invokeOnCompletion(cause -> {
                    ended.complete(null);
                    return Unit.INSTANCE;
                });
            }
        }
        return locks.enter();
    }

    @Override
    public void restoreThreadContext(CoroutineContext context, LockContext.Scope before) {
        before.close();
    }

    private record Inside(Continuation<?> caller, CoroutineContext context) implements Continuation<Object> {
        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        public void resumeWith(Object result) {
            caller.resumeWith(result);
        }
    }
}
