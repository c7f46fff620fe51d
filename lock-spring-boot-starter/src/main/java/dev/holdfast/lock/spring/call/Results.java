package dev.holdfast.lock.spring.call;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.util.ClassUtils;

/** Chooses by the declared result of a method how long a call holds its locks. */
final class Results {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", Results.class.getClassLoader());

    ResultHandling of(Method method, Class<?> targetClass) {
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
        ResultHandling reactive = REACTOR ? ReactiveResults.of(declared) : null;
        return reactive == null ? new BlockingResults(declared.finished()) : reactive;
    }
}
