package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/** Under which names an expression finds a method's arguments: {@code p0}, {@code a0}, and its own where the compiler kept them. */
final class ParameterIndex {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Map<String, Integer> byName = new HashMap<>();
    private final boolean named;

    ParameterIndex(Method method) {
        @Nullable String @Nullable [] names = NAMES.getParameterNames(method);
        this.named = names != null || method.getParameterCount() == 0;
        for (int i = 0; i < method.getParameterCount(); i++) {
            byName.put("p" + i, i);
            byName.put("a" + i, i);
            String name = names == null ? null : names[i];
            if (name != null) {
                byName.put(name, i);
            }
        }
    }

    /** The argument's place, -1 where no argument has that name. */
    int of(String name) {
        Integer index = byName.get(name);
        return index == null ? -1 : index;
    }

    Collection<String> names() {
        return new TreeSet<>(byName.keySet());
    }

    /** Whether the parameters' own names are known. */
    boolean named() {
        return named;
    }
}
