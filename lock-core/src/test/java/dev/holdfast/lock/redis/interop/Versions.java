package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.VersionedInstance.Form;
import dev.holdfast.lock.redis.interop.VersionedInstance.Hold;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.PreviousVersion;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Instances of both versions on one Redis. */
final class Versions implements AutoCloseable {

    /** Which version of the library an instance uses. */
    enum Version {
        PREVIOUS,
        PRESENT;

        Version other() {
            return this == PREVIOUS ? PRESENT : PREVIOUS;
        }

        VersionedInstance create() {
            return this == PRESENT
                    ? new HoldfastInstance()
                    : PreviousVersion.create(VersionedInstance.class, HoldfastInstance.class);
        }
    }

    /** So long that no test sees the end of a lease. */
    private static final Duration LONG = Duration.ofMinutes(5);

    /** Long enough that a stalled machine loses no lease, and short enough for a test to see renewals and the end of a lease. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private final List<RedisURI> addresses;
    private final Function<String, RedisCommands<String, String>> cliOf;
    private final List<VersionedInstance> instances = new ArrayList<>();

    Versions(List<RedisURI> addresses, Function<String, RedisServer> serverOf) {
        this.addresses = addresses;
        this.cliOf = key -> serverOf.apply(key).cli();
    }

    /** Returns a name of which other names of the same slot can be made. */
    static String name(Form form) {
        return "{" + Waits.name("versions-" + form) + "}";
    }

    /** Opens an instance whose leases outlive the test. */
    VersionedInstance open(Version version) {
        return open(version, LONG);
    }

    /** Opens an instance whose leases have to be renewed within a test. */
    VersionedInstance openWithShortLeases(Version version) {
        return open(version, SHORT);
    }

    private VersionedInstance open(Version version, Duration watchdogTimeout) {
        VersionedInstance instance = version.create();
        instance.open(watchdogTimeout, LONG, addresses);
        instances.add(instance);
        return instance;
    }

    /** Acquires a lock so often that nothing it excludes is granted. */
    static List<Hold> fill(VersionedInstance instance, Form form, String name) {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < form.holders(); i++) {
            holds.add(instance.tryAcquire(form, name).orElseThrow());
        }
        return holds;
    }

    /** Waits until so many places are in the lock's queue, each of a client that has said that it hears messages. */
    void awaitQueue(String name, int length) {
        RedisCommands<String, String> cli = cliOf.apply(name);
        Await.until(
                length + " wait for " + name,
                Waits.LONG,
                () -> places(cli, name).count() == length);
        Await.until(
                "all who wait for " + name + " hear messages",
                Waits.LONG,
                () -> queued(name)
                        .flatMap(lock -> cli.zrangeWithScores("redisson_lock_timeout:" + lock, 0, -1).stream())
                        .allMatch(place -> place.getScore() % 1 == 0));
    }

    /**
     * Returns the names that may have the queue. A client that waits for several names has its place at the one whose holder ends last. Before Redis
     * 7.2, the clock advances while a script runs, so this can be the second name by a millisecond.
     */
    private static Stream<String> queued(String name) {
        return Stream.of(name, name + HoldfastInstance.SECOND_NAME);
    }

    private static Stream<String> places(RedisCommands<String, String> cli, String name) {
        return queued(name).flatMap(lock -> cli.lrange("redisson_lock_queue:" + lock, 0, -1).stream());
    }

    /** Returns the keys of the lock that have no end. */
    List<String> endlessKeys(String name) {
        RedisCommands<String, String> cli = cliOf.apply(name);
        String pattern = "*" + name.substring(1, name.length() - 1) + "*";
        return cli.keys(pattern).stream().filter(key -> cli.pttl(key) == -1).toList();
    }

    @Override
    public void close() {
        instances.forEach(VersionedInstance::close);
    }
}
