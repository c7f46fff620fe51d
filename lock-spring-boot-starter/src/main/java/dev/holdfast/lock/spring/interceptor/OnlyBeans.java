package dev.holdfast.lock.spring.interceptor;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Refuses two beans that share a method that runs only once, because the run of one would count for the other. Thread-safe. */
final class OnlyBeans {

    private record Bean(String name, Class<?> type) {}

    private final Map<Class<?>, List<LockOperation>> runsOnce = new ConcurrentHashMap<>();
    private final Map<String, Bean> byLock = new ConcurrentHashMap<>();

    void add(Class<?> type, LockOperation operation) {
        if (operation.isRunOfOneBean()) {
            runsOnce.computeIfAbsent(type, key -> new CopyOnWriteArrayList<>()).add(operation);
        }
    }

    void check(String beanName, Class<?> type) {
        Bean bean = new Bean(beanName, type);
        for (LockOperation operation : runsOnce.getOrDefault(type, List.of())) {
            Bean other = byLock.putIfAbsent(operation.name(), bean);
            Once once = operation.once();
            if (other != null && once != null && !other.name().equals(beanName)) {
                throw Declaration.invalid(
                        operation.method(),
                        once.attribute() + " needs a name of its own, and the lock '" + operation.name()
                                + "' is that of the beans '" + other.name() + "' and '" + beanName
                                + "': the run of one would count for the other",
                        other.type().getSimpleName().equals(type.getSimpleName())
                                ? "Tell the beans apart by a key of the bean, such as key = \"#root.target.tenant\""
                                : "Put the class into the name, as in name = \"" + operation.name() + "-"
                                        + LockOperationParser.CLASS + "\"");
            }
        }
    }
}
