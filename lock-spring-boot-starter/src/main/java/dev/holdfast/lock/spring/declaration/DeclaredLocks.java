package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LockKind;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the annotations of this application's beans declare. Complete once all singletons exist, lazy beans included. Beans of other scopes
 * may add locks later. Thread-safe.
 */
public final class DeclaredLocks {

    /**
     * A lock that an annotation declares. The key is null if all calls use one lock. A duration is null if nothing sets it. The number of permits is
     * 0 if the lock is not a semaphore. A trait is what a feature says of the lock.
     */
    public record DeclaredLock(
            String name,
            LockKind kind,
            int permits,
            @Nullable String key,
            LockSettings settings,
            @Nullable String fallback,
            List<String> traits,
            Method method) {

        /** The trait of a lock whose method runs once for each tick or deployment. */
        public static final String RUNS_ONCE = "runs once";

        public static DeclaredLock of(LockOperation operation, List<String> traits) {
            return new DeclaredLock(
                    operation.name(),
                    operation.kind(),
                    operation.permits(),
                    operation.key() == null ? null : operation.key().toString(),
                    operation.settings(),
                    operation.fallback() == null
                            ? null
                            : operation.fallback().handler().getName(),
                    traits,
                    operation.method());
        }
    }

    /** Checks the declared locks once the application has created its singletons. An exception stops the startup. */
    @FunctionalInterface
    public interface Check {
        void check(DeclaredLocks declared);
    }

    private final CopyOnWriteArrayList<DeclaredLock> all = new CopyOnWriteArrayList<>();
    private final SortedSet<String> unknown = new ConcurrentSkipListSet<>();

    public DeclaredLocks() {}

    public void mayBeIncomplete(String beanName) {
        unknown.add(beanName);
    }

    /** {@return the beans whose locks may be missing, because they do not exist yet and have an abstract type, or because a test replaced them} */
    public SortedSet<String> beansOfUnknownClass() {
        return Collections.unmodifiableSortedSet(unknown);
    }

    public void add(DeclaredLock lock) {
        all.addIfAbsent(lock);
    }

    /** {@return the names of the locks, sorted, without duplicates} */
    public SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>();
        for (DeclaredLock lock : all) {
            names.add(lock.name());
        }
        return names;
    }

    /** {@return a snapshot of all declared locks, several of which may have the same name} */
    public List<DeclaredLock> all() {
        return List.copyOf(all);
    }
}
