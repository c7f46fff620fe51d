package dev.holdfast.lock.spring.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The locks that the annotations of this application's beans declare. Complete once all singletons are made, lazy beans included; beans of
 * other scopes may add to it later. Thread-safe.
 */
public final class DeclaredLocks {

    private final CopyOnWriteArrayList<DeclaredLock> all = new CopyOnWriteArrayList<>();

    DeclaredLocks() {}

    /** Adds a method's locks, once. */
    void add(LockedMethod guarded) {
        for (LockOperation operation : guarded.operations()) {
            KeyExpression key = operation.key();
            all.addIfAbsent(new DeclaredLock(
                    operation.name(),
                    operation.kind(),
                    key == null ? null : key.toString(),
                    operation.terms().settings(),
                    operation.method()));
        }
    }

    /**
     * Their names.
     *
     * @return in alphabetical order, each one once
     */
    public SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>();
        all.forEach(lock -> names.add(lock.name()));
        return names;
    }

    /**
     * All of them; those of one name may be many.
     *
     * @return a snapshot
     */
    public Collection<DeclaredLock> all() {
        return List.copyOf(all);
    }
}
