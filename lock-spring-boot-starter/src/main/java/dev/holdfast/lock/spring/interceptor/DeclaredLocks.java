package dev.holdfast.lock.spring.interceptor;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The locks that the annotations of this application's beans declare. Complete once all singletons are made, lazy beans included; beans of
 * other scopes may add to it later. Thread-safe.
 */
public final class DeclaredLocks {

    private final CopyOnWriteArrayList<DeclaredLock> all = new CopyOnWriteArrayList<>();

    private final SortedSet<String> unknown = new ConcurrentSkipListSet<>();

    DeclaredLocks() {}

    /** Notes a bean whose class may declare more than is known of it. */
    void mayBeIncomplete(String beanName) {
        unknown.add(beanName);
    }

    /**
     * The beans whose locks may be missing here: those that do not exist yet and whose definition names an interface or an abstract class, and
     * those that a test has replaced.
     *
     * @return the beans' names
     */
    public SortedSet<String> beansOfUnknownClass() {
        return Collections.unmodifiableSortedSet(unknown);
    }

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
