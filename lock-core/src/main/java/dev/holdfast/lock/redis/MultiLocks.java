package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Makes one lock of several names. Names whose keys share a slot are acquired by one script. Otherwise, there is one such lock for each slot, and all
 * callers acquire these locks in the same order of the slots.
 */
final class MultiLocks {

    /** The largest number of names. The server does nothing else while a script visits all of their keys. */
    static final int MOST_NAMES = 1000;

    private static final int NO_SLOT = -1;

    /** The first characters of the identity of a lock with several names. No key of a single lock begins like this. */
    private static final String SEVERAL = "{}";

    private final RedisLockClient client;
    private final LockKeys keys;

    MultiLocks(RedisLockClient client) {
        this.client = client;
        this.keys = client.keys;
    }

    LeaseLock of(Collection<String> names) {
        SortedSet<String> distinct = distinct(names);
        SortedMap<Integer, List<String>> slots = new TreeMap<>();
        distinct.forEach(name ->
                slots.computeIfAbsent(slotOf(name), slot -> new ArrayList<>()).add(name));
        List<LeaseLock> locks = slots.values().stream().map(this::ofOneSlot).toList();
        return locks.size() == 1
                ? locks.get(0)
                : MultiLock.inOrder(distinct.toString(), locks, client.settings.defaultWait());
    }

    private static SortedSet<String> distinct(Collection<String> names) {
        if (names == null || names.isEmpty()) {
            throw new IllegalArgumentException("A multi-lock must have at least one name");
        }
        SortedSet<String> distinct = new TreeSet<>();
        for (String name : names) {
            if (name == null) {
                throw new IllegalArgumentException("A lock's name must not be null");
            }
            distinct.add(name);
        }
        if (distinct.size() > MOST_NAMES) {
            throw new IllegalArgumentException(
                    "A multi-lock must have at most " + MOST_NAMES + " names, had " + distinct.size());
        }
        return distinct;
    }

    private int slotOf(String name) {
        // Builds the key even without a cluster, because this refuses an invalid name.
        String key = keys.lock(name);
        return keys.isCluster() ? RedisGateway.slotOf(key) : NO_SLOT;
    }

    private LeaseLock ofOneSlot(List<String> names) {
        if (names.size() == 1) {
            return RedisLock.of(names.get(0), LockKind.REENTRANT, 0, client);
        }
        List<String> locks = names.stream().map(keys::lock).toList();
        return new RedisLock(names.toString(), names, new LockId(LockKind.REENTRANT, joined(locks)), locks, client);
    }

    /** Returns a text that identifies the set of locks. It differs for different sets, and differs from the key of each single lock. */
    private static String joined(List<String> locks) {
        return locks.stream().map(MultiLocks::part).collect(Collectors.joining("", SEVERAL, ""));
    }

    private static String part(String key) {
        return key.length() + ":" + key + ",";
    }

    /** Returns whether a lock is the given one, or is of several names that include it. */
    static boolean includes(LockId lock, String key) {
        return lock.key().equals(key)
                || (lock.key().startsWith(SEVERAL) && lock.key().contains(part(key)));
    }
}
