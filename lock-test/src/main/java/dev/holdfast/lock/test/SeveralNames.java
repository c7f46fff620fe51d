package dev.holdfast.lock.test;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** The locks that have several names. Their events and leases use one text for all of them. */
final class SeveralNames {

    private final Map<String, List<String>> names = new ConcurrentHashMap<>();

    void add(String lockName, Collection<String> of) {
        names.put(lockName, List.copyOf(new TreeSet<>(of)));
    }

    /** Returns the names that are taken while this lock is held. */
    List<String> of(String lockName) {
        return names.getOrDefault(lockName, List.of(lockName));
    }

    /** Returns whether a holder of the lock also holds the name. */
    boolean covers(String lockName, String name) {
        return lockName.equals(name) || of(lockName).contains(name);
    }
}
