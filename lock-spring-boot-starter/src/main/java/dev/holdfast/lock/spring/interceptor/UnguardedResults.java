package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.ResolvableType;

/** Refuses results whose work runs after the method has returned, and whose end nobody but the application learns. */
final class UnguardedResults {

    /** The callbacks of these belong to the application: each takes one, and setting it would replace the application's. */
    private static final List<String> DEFERRED = List.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "kotlinx.coroutines.flow.Flow");

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private UnguardedResults() {}

    static void refuse(Method method) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION)) {
            throw new InvalidLockDeclarationException(
                    Signatures.of(method),
                    "a suspending function leaves its thread in the middle of its work, and its lock with it",
                    "Return a Mono (kotlinx-coroutines-reactor's mono { … }), or use LockClient.acquireAsync in it");
        }
        Class<?> work = workOf(method);
        if (DEFERRED.stream().anyMatch(deferred -> isA(work, deferred))) {
            throw new InvalidLockDeclarationException(
                    Signatures.of(method),
                    "the lock would be released before the work behind a " + work.getSimpleName() + " ends",
                    "Return a CompletableFuture or a Callable, or move the annotation to the method that does the work");
        }
    }

    /** The body of a response is produced after the method has returned, if its type says so. */
    static Class<?> workOf(Method method) {
        ResolvableType result = ResolvableType.forMethodReturnType(method);
        Class<?> type = result.toClass();
        return isA(type, "org.springframework.http.HttpEntity")
                ? result.as(type).getGeneric().toClass()
                : type;
    }

    /** By name: the application may not have the class. */
    private static boolean isA(Class<?> type, String name) {
        return type.getName().equals(name)
                || (type.getSuperclass() != null && isA(type.getSuperclass(), name))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> isA(each, name));
    }
}
