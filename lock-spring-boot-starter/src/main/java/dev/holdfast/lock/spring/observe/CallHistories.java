package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.lang.reflect.Method;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The histories of all methods. They outlive a change of the settings. */
public final class CallHistories implements AroundLock.Feature {

    private record Key(Method method, String lockName) {}

    private final ConcurrentMap<Key, CallHistory> histories = new ConcurrentHashMap<>();

    CallHistories() {}

    @Override
    public AroundOperation of(LockOperation operation) {
        CallHistory history = of(operation.method(), operation.name());
        return call -> history.around();
    }

    /** Returns the history of a method under one lock. */
    public CallHistory of(Method method, String lockName) {
        return histories.computeIfAbsent(new Key(method, lockName), first -> new CallHistory());
    }
}
