package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.composite.MultiLock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

/** A kind of lock that keeps the contract: how to get one, what shuts it out, and which keys it has. */
enum ContractKind {
    REENTRANT(LockClient::getLock),
    FAIR(kind(LockKind.FAIR)),
    WRITE(kind(LockKind.WRITE)),

    /** Readers exclude nobody but the writer, so whoever is to keep a reader out, or to be kept out by one, writes. */
    READ(kind(LockKind.READ), kind(LockKind.WRITE)) {
        @Override
        boolean isShared() {
            return true;
        }
    },

    /** With one permit a semaphore is a lock. Its users have its leases only; the engine below has the other forms for every kind. */
    SEMAPHORE((client, name) -> ((RedisLockClient) client).lock(name, LockKind.SEMAPHORE, 1)),

    /** Two names of one slot as one, by one script. */
    MULTI((client, name) -> client.getMultiLock(pair(name))) {
        @Override
        String fit(String name) {
            return "{" + name + "}";
        }

        @Override
        List<String> names(String name) {
            return pair(name);
        }
    },

    /** Two locks as one. */
    COMPOSITE(ContractKind::composite) {
        @Override
        List<String> names(String name) {
            return pair(name);
        }

        @Override
        boolean isMadeOfLocks() {
            return true;
        }
    };

    /** As a client makes it of names in several slots. */
    private static LeaseLock composite(LockClient client, String name) {
        Duration wait = Waits.parts(client).settings.defaultWait();
        List<String> names = pair(name);
        return MultiLock.inOrder(
                names.toString(), names.stream().map(client::getLock).toList(), wait);
    }

    private final BiFunction<LockClient, String, LeaseLock> lock;
    private final BiFunction<LockClient, String, LeaseLock> rival;

    ContractKind(BiFunction<LockClient, String, LeaseLock> lock) {
        this(lock, lock);
    }

    ContractKind(BiFunction<LockClient, String, LeaseLock> lock, BiFunction<LockClient, String, LeaseLock> rival) {
        this.lock = lock;
        this.rival = rival;
    }

    private static BiFunction<LockClient, String, LeaseLock> kind(LockKind kind) {
        return (client, name) -> client.getLock(name, kind);
    }

    private static List<String> pair(String name) {
        return List.of(name, name + "-b");
    }

    /** The lock of that name. */
    LeaseLock lock(LockClient client, String name) {
        return lock.apply(client, name);
    }

    /** What is never held at once with the lock of that name. */
    LeaseLock rival(LockClient client, String name) {
        return rival.apply(client, name);
    }

    /** Whether two may hold it at once. */
    boolean isShared() {
        return false;
    }

    /** Whether it is one only for its user: its parts have leases, tokens and events each of their own. */
    boolean isMadeOfLocks() {
        return false;
    }

    /** Makes a name fit for this kind. */
    String fit(String name) {
        return name;
    }

    /** The names that Redis knows it by: losing one is losing it. */
    List<String> names(String name) {
        return List.of(name);
    }
}
