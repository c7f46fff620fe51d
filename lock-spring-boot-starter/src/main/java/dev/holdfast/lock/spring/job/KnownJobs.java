package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The jobs of this application that run once per tick. A job whose lock has a key is known from its first call on. Thread-safe. */
final class KnownJobs {

    private final ConcurrentMap<String, KnownJob> byLockName = new ConcurrentHashMap<>();

    private final List<Runnable> onAdded = new CopyOnWriteArrayList<>();

    KnownJob of(String lockName, LockOperation operation, Ticks ticks) {
        KnownJob known = byLockName.get(lockName);
        if (known != null) {
            return known;
        }
        KnownJob added = byLockName.computeIfAbsent(lockName, name -> new KnownJob(name, operation, ticks));
        onAdded.forEach(Runnable::run);
        return added;
    }

    /** Calls back when a job is added. */
    public void onAdded(Runnable callback) {
        onAdded.add(callback);
    }

    public Collection<KnownJob> all() {
        return byLockName.values();
    }
}
