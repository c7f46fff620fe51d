package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.Marks;
import dev.holdfast.lock.simulation.WireContract;
import dev.holdfast.lock.simulation.process.Subscribers;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.test.memory.Messages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The only Redis. It runs the scripts that are shipped, or a mutant's. */
final class Server implements Messages {

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final String PLACES = "redisson_lock_queue:";
    static final String DEADLINES = "redisson_lock_timeout:";
    private static final String WAKE = "holdfast:wake:";
    static final String RECORDS = "holdfast:record:";
    private static final String OPEN = "holdfast:open:";
    private static final String NAMES = "holdfast:client:";

    /** The length of a time in ms since the epoch. */
    private static final int MILLIS_LENGTH = 13;

    private final Ticker clock;
    private final UnaryOperator<Script> scripts;
    private final MemoryRedis redis;
    private final Consumer<String> onFault;
    final Subscribers subscribers = new Subscribers();
    private boolean remembers;
    private Map<String, Object> beforeLatest = Map.of();

    /** What the server keeps, apart from the names of clients. */
    record Key(String name, Object value, long millisLeft) implements WireContract.Key {

        /** Returns the fields that are owner ids. */
        List<String> owners() {
            return value instanceof Map<?, ?> hash
                    ? hash.keySet().stream()
                            .map(String::valueOf)
                            .filter(field -> field.startsWith(HeapDigest.CLIENT))
                            .toList()
                    : List.of();
        }
    }

    /**
     * Creates a server without keys.
     *
     * @param scripts replaces scripts
     * @param hasGrace whether clients have a grace, and Redis is not in it
     * @param onPlace receives a lock and a place whenever the place is added to the lock's queue
     * @param onFault receives each failure of a script for which Redis has no reason
     */
    Server(
            Ticker clock,
            UnaryOperator<Script> scripts,
            boolean hasGrace,
            BiConsumer<String, String> onPlace,
            Consumer<String> onFault) {
        this.onFault = onFault;
        this.clock = clock;
        this.scripts = scripts;
        this.redis = new MemoryRedis(clock, START, this, (command, args) -> {
            Marks.look(command, args);
            if (command.equals("rpush") && args.get(0).startsWith(PLACES)) {
                String lock =
                        args.get(0).substring(PLACES.length() + 1, args.get(0).length() - 1);
                onPlace.accept(lock, args.get(1));
            }
        });
        if (hasGrace) {
            redis.command("set", OPEN + redis.reign(), "1");
        }
    }

    List<Object> run(Script script, List<String> keys, List<String> args) {
        if (remembers) {
            remember();
        }
        Marks.begin();
        try {
            return redis.run(scripts.apply(script), keys, args);
        } catch (RedisFailure failed) {
            // What a server refuses has a code of its own.
            if (String.valueOf(failed.getMessage()).startsWith("ERR ")) {
                onFault.accept(script.name() + " " + keys + " " + args + " fails: " + failed.getMessage());
            }
            throw failed;
        }
    }

    @Nullable
    Object command(String name, String... args) {
        return redis.command(name, args);
    }

    /** Returns whether messages reach the client of a place. */
    boolean hears(String place) {
        return subscribers.count(WAKE + place.substring(0, HeapDigest.CLIENT_LENGTH)) > 0;
    }

    /** Returns whether locks are granted to clients with a grace. */
    boolean isOpen() {
        return redis.command("get", OPEN + redis.reign()) != null;
    }

    /** Returns what a replica has that receives nothing from now on. */
    Map<String, Object> copy() {
        return redis.copy();
    }

    /** From now on, remembers what it had before the latest script. */
    void remember() {
        remembers = true;
        beforeLatest = redis.copy();
        beforeLatest.keySet().removeIf(key -> key.startsWith(NAMES));
    }

    /** Returns what a replica has that lacks the latest script. */
    Map<String, Object> copyBeforeLatest() {
        return beforeLatest;
    }

    /** A replica takes over. */
    void promote(Map<String, Object> copy) {
        redis.beginReign();
        redis.restore(copy);
    }

    /** Returns the present time in milliseconds since the epoch. */
    long millis() {
        return micros() / 1000;
    }

    /** Returns the present time in microseconds since the epoch. */
    long micros() {
        return TimeUnit.SECONDS.toMicros(START.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(clock.now());
    }

    /** Returns all keys except the names of clients, which nothing depends on. */
    List<Key> keys() {
        List<Key> found = new ArrayList<>();
        redis.view((name, value, millisLeft) -> {
            if (!name.startsWith(NAMES)) {
                found.add(new Key(name, value, millisLeft));
            }
        });
        return found;
    }

    /** Returns the next time, in nanoseconds, at which a key, a place or a permit ends. */
    long nextEnd() {
        long startMillis = START.toEpochMilli();
        long nowMillis = micros() / 1000;
        long[] next = {Long.MAX_VALUE};
        redis.view((name, value, millisLeft) -> {
            if (!name.startsWith(NAMES)) {
                if (millisLeft >= 0) {
                    next[0] = Math.min(next[0], nowMillis + millisLeft + 1);
                }
                if (value instanceof Map<?, ?> entries) {
                    entries.values().forEach(entry -> {
                        long end = end(entry);
                        if (end > nowMillis) {
                            next[0] = Math.min(next[0], end);
                        }
                    });
                }
            }
        });
        return next[0] == Long.MAX_VALUE ? next[0] : TimeUnit.MILLISECONDS.toNanos(next[0] - startMillis);
    }

    /** Returns the end, in ms since the epoch, of a place or a permit; 0 for another entry. */
    private static long end(Object entry) {
        if (entry instanceof Double deadline) {
            return (long) Math.ceil(deadline);
        }
        String text = String.valueOf(entry);
        int colon = text.indexOf(':');
        return colon == MILLIS_LENGTH ? Long.parseLong(text.substring(0, colon)) : 0;
    }

    /** Returns the channels to which a client is subscribed, sorted. */
    List<String> subscriptionsOf(Wire wire) {
        return subscribers.channelsOf(wire).stream().sorted().toList();
    }

    /** Adds all keys, in an order that does not depend on which client is which. */
    void addTo(HeapDigest digest) {
        digest.add(redis.reign());
        digest.add(beforeLatest);
        List<Key> sorted = keys();
        sorted.sort(Comparator.comparing(key -> digest.inOrder(key.name)));
        sorted.forEach(key -> {
            digest.add(key.name);
            digest.add(key.millisLeft);
            digest.add(key.value);
        });
    }

    void lose() {
        keys().forEach(key -> redis.command("del", key.name));
    }

    @Override
    public long publish(String channel, String message) {
        return subscribers.send(channel, message);
    }

    @Override
    public long listeners(String channel) {
        return subscribers.count(channel);
    }
}
