package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The histories of all methods. */
final class CallHistories implements LockFeature, FeatureReport {

    private record Key(Method method, String lockName) {}

    private final ConcurrentMap<Key, CallHistory> histories = new ConcurrentHashMap<>();

    @Override
    public AroundOperation of(LockOperation operation) {
        return of(operation.method(), operation.name());
    }

    @Override
    public Function<DeclaredLock, Map<String, @Nullable Object>> ofLocks() {
        return lock -> {
            CallHistory.Counts counts = of(lock.method(), lock.name()).counts();
            Map<String, @Nullable Object> calls = new LinkedHashMap<>();
            calls.put("runs", counts.runs());
            calls.put("skipped", counts.skipped());
            calls.put("lastRun", counts.lastRun());
            return calls;
        };
    }

    /** Returns the history of a method under one lock. */
    CallHistory of(Method method, String lockName) {
        return histories.computeIfAbsent(new Key(method, lockName), first -> new CallHistory());
    }
}
