package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Refuses two beans that share a method that runs only once, because the run of one would count for the other. Thread-safe. */
final class OnlyBeans {

    private record Bean(String name, Class<?> type) {}

    private final Map<Class<?>, List<LockedOperation>> owners = new ConcurrentHashMap<>();
    private final Map<String, Bean> byLock = new ConcurrentHashMap<>();

    void add(Class<?> type, LockedOperation lock) {
        KeyExpression key = lock.operation().key();
        // Each bean has a name of its own if the key tells the beans apart.
        if (key == null || !key.isOfTarget()) {
            owners.computeIfAbsent(type, first -> new CopyOnWriteArrayList<>()).add(lock);
        }
    }

    void check(String beanName, Class<?> type) {
        for (LockedOperation lock : owners.getOrDefault(type, List.of())) {
            for (LockFeature feature : lock.features()) {
                String attribute = feature.ownsName();
                if (attribute != null) {
                    check(new Bean(beanName, type), lock.operation(), attribute);
                }
            }
        }
    }

    private void check(Bean bean, LockOperation operation, String attribute) {
        Bean other = byLock.putIfAbsent(operation.name(), bean);
        if (other != null && !other.name().equals(bean.name())) {
            throw Declaration.invalid(
                    operation.method(),
                    attribute + " needs a name of its own, and the lock '" + operation.name()
                            + "' is that of the beans '" + other.name() + "' and '" + bean.name()
                            + "': the run of one would count for the other",
                    other.type().getSimpleName().equals(bean.type().getSimpleName())
                            ? "Tell the beans apart by a key of the bean, such as key = \"#root.target.tenant\""
                            : "Put the class into the name, as in name = \"" + operation.name() + "-"
                                    + LockOperationParser.CLASS + "\"");
        }
    }
}
