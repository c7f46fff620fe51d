package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.interceptor.LockOperationSource.LockedMethod;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the annotations of this application's beans declare. Complete once all singletons exist, lazy beans included; beans of
 * other scopes may add locks later. Thread-safe.
 */
public final class DeclaredLocks {

    /**
     * A lock that an annotation declares.
     *
     * @param name its declared name
     * @param kind its kind
     * @param key the expression that distinguishes the locks of that name; null if the name is one lock
     * @param settings the effective settings; a time that nothing sets is null
     * @param method the annotated method
     */
    public record DeclaredLock(
            String name, LockKind kind, @Nullable String key, LockSettings settings, Method method) {}

    /** Checks the declared locks once the application has created its singletons. Beans of this type are found automatically. */
    @FunctionalInterface
    public interface Check {

        /**
         * Checks them. An exception stops the startup.
         *
         * @param declared the declared locks
         */
        void check(DeclaredLocks declared);
    }

    private final CopyOnWriteArrayList<DeclaredLock> all = new CopyOnWriteArrayList<>();

    private final SortedSet<String> unknown = new ConcurrentSkipListSet<>();

    DeclaredLocks() {}

    /** Records a bean whose class may declare locks that are not known yet. */
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
     * The names of the locks.
     *
     * @return the names, sorted, without duplicates
     */
    public SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>();
        all.forEach(lock -> names.add(lock.name()));
        return names;
    }

    /**
     * All declared locks. Several may have the same name.
     *
     * @return a snapshot
     */
    public Collection<DeclaredLock> all() {
        return List.copyOf(all);
    }
}
