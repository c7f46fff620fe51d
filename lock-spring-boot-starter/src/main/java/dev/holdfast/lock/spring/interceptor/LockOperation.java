package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.OnBusy;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one annotated method: its annotation, read once.
 *
 * @param method the method
 * @param name the lock's declared name
 * @param key what tells the locks of that name apart, if anything
 * @param kind the kind of lock
 * @param terms what configuration and annotation come to
 * @param fallback what a busy call runs instead of the method, if anything
 * @param releaseAfterTransaction whether a lock acquired inside a transaction is released only after it
 */
record LockOperation(
        Method method,
        String name,
        @Nullable KeyExpression key,
        LockKind kind,
        LockTerms terms,
        @Nullable Fallback fallback,
        boolean releaseAfterTransaction) {

    /** The names in Redis, without the client's prefix, that a call asks for. */
    List<String> lockNames(@Nullable Object target, @Nullable Object[] arguments) {
        if (key == null) {
            return List.of(name);
        }
        List<String> keys = key.evaluate(target, arguments);
        return keys.size() == 1
                ? List.of(name + ":" + keys.get(0))
                : keys.stream().map(one -> name + ":" + one).toList();
    }

    /** Whether a call that finds the lock busy is left out. */
    boolean skipsBusy() {
        return terms.onBusy() == OnBusy.SKIP;
    }
}
