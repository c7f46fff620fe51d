package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.testing.Await;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Two clients on one Redis, locks of one kind under names that nobody else uses, and a look at the keys from outside. What is locked
 * {@link #there} always excludes what is locked {@link #here}: where the kind is shared it is the kind's rival.
 */
final class Stage implements AutoCloseable {

    static final String PREFIX = "lock:";

    /** Long enough that a stalled machine loses no lease, short enough for a test to see a renewal. */
    static final Duration WATCHDOG = Duration.ofSeconds(3);

    /** More than anything here takes; what is not there by then never comes. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String random = UUID.randomUUID().toString().substring(0, 8);
    private final AtomicInteger names = new AtomicInteger();
    private final Set<RedisCommands<String, String>> looks = ConcurrentHashMap.newKeySet();
    private final Topology topology;
    private final ContractKind kind;
    private final LockClient here;
    private final LockClient there;

    Stage(Topology topology, ContractKind kind) {
        this.topology = topology;
        this.kind = kind;
        this.here = client().build();
        this.there = client().build();
    }

    RedisLockClientBuilder client() {
        return RedisLockClient.builder(topology.source().get())
                .checkAtStart(false)
                .keyPrefix(PREFIX)
                .watchdogTimeout(WATCHDOG);
    }

    /** A client that a release must wake: until its next poll, the test is long over. */
    LockClient patientClient() {
        return client().pollInterval(Duration.ofMinutes(2)).build();
    }

    /** Waits until a renewal has put off the end of a lease. */
    static void awaitRenewal(Lease lease) {
        long end = System.nanoTime() + lease.remaining().toNanos();
        Await.until(
                "the lease is renewed",
                PATIENCE,
                () -> System.nanoTime() + lease.remaining().toNanos() - end > TimeUnit.MILLISECONDS.toNanos(100));
    }

    /** One application's client. */
    LockClient here() {
        return here;
    }

    /** Another application's. */
    LockClient there() {
        return there;
    }

    LeaseLock here(String name) {
        return lock(here, name);
    }

    /** The other application's, and never held at once with {@link #here(String)}. */
    LeaseLock there(String name) {
        return rival(there, name);
    }

    LeaseLock lock(LockClient client, String name) {
        return kind.lock(client, name);
    }

    /** What is never held at once with the lock of that name. */
    LeaseLock rival(LockClient client, String name) {
        return kind.rival(client, name);
    }

    /** Whether two of {@link #here(String)} are held at once. */
    boolean isShared() {
        return kind.isShared();
    }

    /** Whether its parts have leases, tokens and events each of their own. */
    boolean isMadeOfLocks() {
        return kind.isMadeOfLocks();
    }

    /** A name that says of which kind it is where a test fails. */
    String name() {
        return kind.fit(kind.name().toLowerCase(Locale.ROOT) + "-" + random + "-" + names.incrementAndGet());
    }

    RedisCommands<String, String> cli(String name) {
        RedisCommands<String, String> cli = topology.cliOf().apply(PREFIX + name);
        looks.add(cli);
        return cli;
    }

    /** Whether anything of the lock is there. */
    boolean isInRedis(String name) {
        return kind.names(name).stream().anyMatch(each -> cli(each).exists(PREFIX + each) == 1);
    }

    long pttl(String name) {
        return kind.names(name).stream()
                .mapToLong(each -> cli(each).pttl(PREFIX + each))
                .min()
                .orElseThrow();
    }

    /** What an operator or a failover may do to a lock; where it has several keys one is enough. */
    void loseKey(String name) {
        String first = kind.names(name).get(0);
        cli(first).del(PREFIX + first);
    }

    /** The name under which listeners hear of the lock: where it is made of locks, of the first of them. */
    String heardName(String name) {
        return isMadeOfLocks() ? kind.names(name).get(0) : lock(here, name).name();
    }

    /** The token of the hold that listeners hear of. */
    long heardToken(LockClient client, String name) {
        return held(client, name).stream()
                .filter(held -> held.lockName().equals(heardName(name)))
                .mapToLong(HeldLock::fencingToken)
                .max()
                .orElseThrow();
    }

    /** Who holds it, in Redis. */
    List<String> owners(String name) {
        return kind.names(name).stream()
                .map(each -> here.inspect(each).map(LockState::owner).orElse("nobody"))
                .toList();
    }

    /** Frees all of the lock; answers whether anything was held. */
    boolean forceRelease(LockClient client, String name) {
        boolean[] freed = new boolean[1];
        kind.names(name).forEach(each -> freed[0] |= client.forceRelease(each));
        return freed[0];
    }

    /** The holds that a client has of a lock: one for each of its locks, where it is made of several. */
    List<HeldLock> held(LockClient client, String name) {
        Set<String> shown = new HashSet<>(kind.names(name));
        shown.add(lock(client, name).name());
        return client.heldLocks().stream()
                .filter(held -> shown.contains(held.lockName()))
                .toList();
    }

    static void awaitWaiters(LockClient client, String name, int count) {
        Await.until(
                count + " wait for " + name,
                PATIENCE,
                () -> client.inspect(name).map(LockState::waitersHere).orElse(0) == count);
    }

    /** Waits until so many of a client wait for the lock or for its rival. */
    void awaitWaiting(LockClient client, String name, int count) {
        Await.until(
                count + " wait for " + name,
                PATIENCE,
                () -> Math.max(waiting(client, lock(client, name)), waiting(client, rival(client, name))) == count);
    }

    /** Waits until somebody waits for the lock and listens, so that only a message can tell it of a release. */
    void awaitListening(LockClient client, String name) {
        awaitWaiting(client, name, 1);
        Await.until(
                "a waiter of " + name + " listens",
                PATIENCE,
                () -> kind.names(name).stream().anyMatch(each -> isListenedTo(each)));
        // One who listens asks once more. The server cannot tell whose question it was.
        Pause.of(Duration.ofMillis(100));
    }

    private boolean isListenedTo(String name) {
        String line = new LockKeys(PREFIX, new KeySlots(false)).line(PREFIX + name);
        Stream<String> clients = cli(name).lrange(line, 0, -1).stream()
                .map(place -> "holdfast:wake:*" + place.substring(0, place.indexOf(':')));
        // Readers and writers listen to the lock's own channel. In a cluster all channels are the shard's, from Redis 7
        // on.
        return Stream.concat(clients, Stream.of("redisson_rwlock*" + name + "*"))
                .anyMatch(channels -> !cli(name).pubsubChannels(channels).isEmpty()
                        || !cli(name).pubsubShardChannels(channels).isEmpty());
    }

    /** Where a lock is made of locks, those who want it wait for the first that they do not get. */
    private static int waiting(LockClient client, LeaseLock lock) {
        if (lock instanceof RedisLock redisLock) {
            return Waits.parts(client).rooms.waiters((LockId) redisLock.identity());
        }
        List<?> members = (List<?>) Waits.look(lock, "members");
        return members.stream()
                .mapToInt(member -> waiting(client, (LeaseLock) member))
                .max()
                .orElse(0);
    }

    void awaitFree(String name) {
        Await.until(name + " is free", PATIENCE, () -> !isInRedis(name));
    }

    /** What was locked here has left nothing behind that would not go by itself: no key without an end, whatever it is for. */
    void assertNothingStays() {
        for (RedisCommands<String, String> cli : looks) {
            assertThat(cli.keys("*" + random + "*"))
                    .as("keys that stay for ever")
                    .noneMatch(key -> cli.pttl(key) == -1);
        }
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
