package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** How long a call holds its locks, by what its method returns: until it returns, or until the work behind its result ends. */
interface ResultHandling {

    /** Acquires the locks, runs the method, and releases the locks when its work is done. Returns what the caller receives. */
    @Nullable
    Object call(LockedInvocation call, LockAcquirer acquirer) throws Throwable;

    @Nullable
    Object skipped();

    default boolean canSkip() {
        return true;
    }

    /** Whether the thread that acquires the lock runs the method to its end, so that a loss can interrupt it. */
    default boolean staysOnThread() {
        return false;
    }

    /** Finds the handling of a method. Refuses a result if the lock would be released before the method's work ends. */
    static ResultHandling of(Method method, Class<?> targetClass) {
        DeclaredResult declared = DeclaredResult.of(method, targetClass);
        if (declared.isSuspending()) {
            return ReactiveResults.ofSuspending(declared);
        }
        Class<?> type = declared.raw();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return new BlockingResults.StageResults(declared.element());
        }
        if (type == Callable.class) {
            return new BlockingResults.CallableResults(declared.element());
        }
        if (declared.isOfWorker()) {
            declared.element();
            return new BlockingResults(declared);
        }
        boolean reactor = ClassUtils.isPresent("reactor.core.publisher.Mono", ResultHandling.class.getClassLoader());
        ResultHandling reactive = reactor ? ReactiveResults.of(declared) : null;
        return reactive == null ? new BlockingResults(declared.finished()) : reactive;
    }
}
