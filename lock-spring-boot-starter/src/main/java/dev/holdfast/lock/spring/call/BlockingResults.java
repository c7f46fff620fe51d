package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.LockContext;
import java.lang.reflect.Array;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Handles methods that run on the thread that waits for their locks. By default, the call holds its locks until the method returns. */
class BlockingResults implements ResultHandling {

    private final DeclaredResult declared;
    private final boolean mayHideWork;
    private final Supplier<@Nullable Object> empty;

    BlockingResults(DeclaredResult declared) {
        this.declared = declared;
        this.mayHideWork = declared.hidesWork();
        this.empty = EmptyResults.of(declared.raw());
    }

    @Override
    public @Nullable Object skipped() {
        return empty.get();
    }

    @Override
    public boolean canSkip() {
        return EmptyResults.has(declared.raw());
    }

    @Override
    public boolean staysOnThread() {
        return true;
    }

    @Override
    public @Nullable Object call(LockedInvocation call) throws Throwable {
        AcquiredLocks locks = call.acquire();
        if (locks.refusal() != null) {
            return finished(answer(call, locks.refusal()));
        }
        Object result;
        try (LockContext.Scope scope = locks.enter()) {
            result = finished(call.proceed(locks.lease()));
        } catch (Throwable thrown) {
            release(locks, thrown);
            throw thrown;
        }
        return returned(result, locks);
    }

    /** Returns the final result. Called with the method's result, while the locks are held, or with the result of a refused call. */
    @Nullable
    Object finished(@Nullable Object result) throws Exception {
        return result;
    }

    /** Releases the locks: at once or, if the result is a stage behind the declared type {@code Object}, when that stage ends. */
    @Nullable
    Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
        return result instanceof CompletionStage<?> stage && declared.raw() == Object.class
                ? heldUntilDone(stage, locks)
                : released(result, locks);
    }

    final @Nullable Object released(@Nullable Object result, AcquiredLocks locks) throws Throwable {
        release(locks, mayHideWork ? declared.refusalOf(result) : null);
        return result;
    }

    final CompletableFuture<Object> heldUntilDone(CompletionStage<?> stage, AcquiredLocks locks) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> locks.release(
                        failure == null ? declared.refusalOf(value) : AroundLock.cause(failure), false)
                .whenComplete((thrown, never) -> {
                    if (thrown == null) {
                        outcome.complete(value);
                    } else {
                        outcome.completeExceptionally(thrown);
                    }
                }));
        outcome.whenComplete((value, failure) -> {
            if (failure instanceof CancellationException) {
                cancel(stage);
            }
        });
        return outcome;
    }

    /** Cancels the work too, because the lock protects it. The lock is released when the work has ended. */
    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException notSupported) {
            // The work cannot be canceled, so it continues, and the call holds the lock until it ends.
        }
    }

    private static void release(AcquiredLocks locks, @Nullable Throwable failure) throws Throwable {
        Throwable outcome = locks.release(failure, true).join();
        if (outcome != null) {
            throw outcome;
        }
    }

    /**
     * Handles results that complete later. The caller's thread waits for the lock and runs the method, so that the method finds what is bound to this
     * thread, such as a transaction or a security context. The lock is held until the returned stage ends; the caller's stage ends after that.
     */
    static final class StageResults extends BlockingResults {
        StageResults(DeclaredResult element) {
            super(element);
        }

        @Override
        @Nullable
        Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
            return result == null ? released(null, locks) : heldUntilDone((CompletionStage<?>) result, locks);
        }

        @Override
        public Object skipped() {
            return CompletableFuture.completedFuture(super.skipped());
        }

        @Override
        public boolean staysOnThread() {
            return false;
        }
    }

    /**
     * Handles work that another thread calls later. The lock is acquired only then; an earlier lock would never be released if the work is never
     * called.
     */
    static final class CallableResults extends BlockingResults {
        CallableResults(DeclaredResult element) {
            super(element);
        }

        @Override
        public Object call(LockedInvocation call) {
            return (Callable<@Nullable Object>) () -> {
                try {
                    return super.call(call);
                } catch (Exception | Error e) {
                    throw e;
                } catch (Throwable other) {
                    throw new UndeclaredThrowableException(other);
                }
            };
        }

        @Override
        @Nullable
        Object finished(@Nullable Object work) throws Exception {
            return work == null ? null : ((Callable<?>) work).call();
        }

        @Override
        @Nullable
        Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
            return released(result, locks);
        }

        @Override
        public Object skipped() {
            return (Callable<@Nullable Object>) super::skipped;
        }
    }

    /**
     * Creates the results of skipped calls: null or an empty value. Each call receives a new value, because the caller may add elements to a
     * collection.
     */
    static final class EmptyResults {
        static Supplier<@Nullable Object> of(Class<?> type) {
            if (type.isArray()) {
                return () -> Array.newInstance(type.getComponentType(), 0);
            }
            return isPlain(type) ? () -> null : shapeOf(type);
        }

        /** Returns the first of these whose value is an instance of the type. */
        private static Supplier<@Nullable Object> shapeOf(Class<?> type) {
            return Stream.<Supplier<@Nullable Object>>of(
                            Optional::empty,
                            OptionalInt::empty,
                            OptionalLong::empty,
                            OptionalDouble::empty,
                            Stream::empty,
                            IntStream::empty,
                            LongStream::empty,
                            DoubleStream::empty,
                            ArrayList::new,
                            LinkedHashSet::new,
                            TreeSet::new,
                            ArrayDeque::new,
                            LinkedHashMap::new,
                            TreeMap::new,
                            ConcurrentHashMap::new)
                    .filter(shape -> type.isInstance(shape.get()))
                    .findFirst()
                    .orElse(() -> null);
        }

        /** Returns whether a skipped call has something to return. False for primitive types and for collections that this class cannot create. */
        static boolean has(Class<?> type) {
            return type.isPrimitive() ? type == void.class : isPlain(type) || of(type).get() != null;
        }

        private static boolean isPlain(Class<?> type) {
            return type != Iterable.class
                    && !Collection.class.isAssignableFrom(type)
                    && !Map.class.isAssignableFrom(type)
                    && !type.getName().startsWith("java.util.Optional")
                    && !type.getName().startsWith("java.util.stream.");
        }
    }
}
