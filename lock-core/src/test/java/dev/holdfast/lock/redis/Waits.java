package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.engine.ClientSession;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What the tests about waiting, fencing and leaks have in common. */
final class Waits {

    static final Duration LONG = Duration.ofSeconds(30);

    /** Far more than a message takes on a busy machine, far less than the polls and leases of the tests that compare with it. */
    static final long SOON_MILLIS = 10_000;

    private Waits() {}

    static String name(String what) {
        return what + "-" + UUID.randomUUID();
    }

    static RedisLockClientBuilder client(RedisServer server) {
        return RedisLockClient.builder(RedisSource.of(server.uri())).checkAtStart(false);
    }

    /** A client whose time stands still: all that it holds was granted just now, so it may be passed on in memory. */
    static LockClient timeless(RedisServer server) {
        long now = System.nanoTime();
        return client(server).clock(() -> now).build();
    }

    static RedisLockClientBuilder client(FaultProxy proxy) {
        return RedisLockClient.builder(RedisSource.of(proxy.uri())).checkAtStart(false);
    }

    static AcquireOptions waiting(Duration wait) {
        return AcquireOptions.defaults().waitAtMost(wait);
    }

    static CompletableFuture<Lease> wanted(LockClient client, String name) {
        return client.getLock(name).acquireAsync(waiting(LONG)).toCompletableFuture();
    }

    static Lease held(LockClient client, String name) {
        return client.getLock(name).acquire(waiting(LONG));
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(LONG.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    /** How many places the lock's line has whose clients listen. */
    static long listeners(RedisServer server, String name) {
        return server.cli().lrange("redisson_lock_queue:{" + name + "}", 0, -1).stream()
                .map(place -> "holdfast:wake:" + place.substring(0, place.indexOf(':')))
                .filter(channel -> server.cli().pubsubNumsub(channel).get(channel) > 0)
                .count();
    }

    /** Waits until so many places are in the lock's line. */
    static void awaitListeners(RedisServer server, String name, long count) {
        Await.until(count + " listeners of " + name, Duration.ofSeconds(10), () -> listeners(server, name) == count);
    }

    static void awaitChannel(RedisServer server, String channel, long count) {
        Await.until(
                count + " listeners of " + channel,
                Duration.ofSeconds(10),
                () -> server.cli().pubsubNumsub(channel).get(channel) == count);
    }

    /** How often a script asked for a lock. Every question about a plain or fair lock begins with whether it exists, and nothing else asks that. */
    static long questions(RedisServer server) {
        return server.commandStats().getOrDefault("exists", 0L);
    }

    static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    static ClientSession parts(LockClient client) {
        return (ClientSession) look(client, "open");
    }

    /** Looks at a private field, of its class or of a superclass: what a client keeps to itself. */
    static Object look(Object at, String field) {
        for (Class<?> type = at.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field found = type.getDeclaredField(field);
                found.setAccessible(true);
                return found.get(at);
            } catch (NoSuchFieldException inherited) {
                // A superclass may have it.
            } catch (IllegalAccessException e) {
                throw new LinkageError("The field " + field + " cannot be read", e);
            }
        }
        throw new LinkageError("The field " + field + " has gone");
    }
}
