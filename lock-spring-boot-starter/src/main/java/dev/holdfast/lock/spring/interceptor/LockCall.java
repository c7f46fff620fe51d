package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call, as listeners see it.
 *
 * @param method the annotated method
 * @param declaredName the lock's declared name, of which there are few
 * @param lockNames the locks' names in Redis without the client's prefix, one unless {@code keys} gave several; of these there may be many
 * @param kind the kind of lock
 * @param reentered whether a surrounding call has it already, so that Redis is not asked
 * @param carried what the subscriber's Reactor context holds; empty where the method does not return a publisher
 */
public record LockCall(
        Method method,
        String declaredName,
        List<String> lockNames,
        LockKind kind,
        boolean reentered,
        Map<Object, Object> carried) {

    /**
     * What tells this lock from the others of its declared name.
     *
     * @return the evaluated key, or several of them with commas between; none where the name stands alone
     */
    public @Nullable String key() {
        List<String> keys = lockNames.stream()
                .filter(name -> name.length() > declaredName.length())
                .map(name -> name.substring(declaredName.length() + 1))
                .toList();
        return keys.isEmpty() ? null : String.join(", ", keys);
    }
}
