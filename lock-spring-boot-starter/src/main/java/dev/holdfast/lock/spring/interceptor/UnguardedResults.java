package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses results whose work runs after the method has returned, and whose end nobody but the application learns. */
final class UnguardedResults {

    /** The callbacks of these belong to the application: each takes one, and setting it would replace the application's. */
    private static final Set<String> WEB = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

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
        if (isWeb(method.getReturnType())) {
            throw new InvalidLockDeclarationException(
                    Signatures.of(method),
                    "the lock would be released before the work behind a "
                            + method.getReturnType().getSimpleName() + " ends",
                    "Return a CompletableFuture or a Callable, or move the annotation to the method that does the work");
        }
    }

    private static boolean isWeb(@Nullable Class<?> type) {
        return type != null && (WEB.contains(type.getName()) || isWeb(type.getSuperclass()));
    }
}
