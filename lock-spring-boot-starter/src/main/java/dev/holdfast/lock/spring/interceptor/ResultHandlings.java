package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import org.springframework.util.ClassUtils;

/** Which handling a method's result needs. */
final class ResultHandlings {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", ResultHandlings.class.getClassLoader());

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private ResultHandlings() {}

    static ResultHandling of(Method method) {
        refuseSuspending(method);
        if (StageResults.handles(method)) {
            return new StageResults();
        }
        ResultHandling reactive = REACTOR ? ReactiveResults.of(method) : null;
        return reactive == null ? new ImmediateResults(method.getReturnType()) : reactive;
    }

    /** A suspending function returns to its caller in the middle of its work, and the lock would be free from there on. */
    private static void refuseSuspending(Method method) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION)) {
            throw new InvalidLockDeclarationException(
                    Signatures.of(method),
                    "a suspending function leaves its thread in the middle of its work, and its lock with it",
                    "Return a Mono (kotlinx-coroutines-reactor's mono { … }), or use LockClient.acquireAsync in it");
        }
    }
}
