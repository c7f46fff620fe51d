package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.redisson.api.RedissonClient;

/** One cell of the matrix: on which Redis, which locks, who holds and who waits, and what must be so. */
record InteropCell(Mode mode, Pair pair, Direction direction, Property property) {

    enum Mode {
        STANDALONE,
        CLUSTER
    }

    /** What is held and what is wanted, as both libraries call it. */
    enum Pair {
        PLAIN("plain lock", Form.PLAIN, Form.PLAIN),
        FENCED("plain lock and fenced lock", Form.FENCED, Form.FENCED),
        FAIR("fair lock", Form.FAIR, Form.FAIR),
        WRITER_AND_WRITER("writer and writer", Form.WRITE, Form.WRITE),
        WRITER_AND_READER("writer and reader", Form.WRITE, Form.READ),
        READER_AND_WRITER("reader and writer", Form.READ, Form.WRITE);

        private final String text;
        final Form held;
        final Form wanted;

        Pair(String text, Form held, Form wanted) {
            this.text = text;
            this.held = held;
            this.wanted = wanted;
        }
    }

    /** A lock in both libraries. */
    enum Form {
        PLAIN(LockClient::getLock, RedissonClient::getLock),
        FENCED(LockClient::getLock, RedissonClient::getFencedLock),
        FAIR((client, name) -> client.getLock(name, LockKind.FAIR), RedissonClient::getFairLock),
        READ(
                (client, name) -> client.getLock(name, LockKind.READ),
                (client, name) -> client.getReadWriteLock(name).readLock()),
        WRITE(
                (client, name) -> client.getLock(name, LockKind.WRITE),
                (client, name) -> client.getReadWriteLock(name).writeLock());

        final BiFunction<LockClient, String, Lock> ours;
        final BiFunction<RedissonClient, String, Lock> theirs;

        Form(BiFunction<LockClient, String, Lock> ours, BiFunction<RedissonClient, String, Lock> theirs) {
            this.ours = ours;
            this.theirs = theirs;
        }
    }

    enum Direction {
        HOLDFAST_HOLDS("Holdfast holds, Redisson waits"),
        REDISSON_HOLDS("Redisson holds, Holdfast waits");

        private final String text;

        Direction(String text) {
            this.text = text;
        }
    }

    enum Property {
        EXCLUSION("the other is kept out until the release of the last hold"),
        WAKE_UP("woken by the message"),
        WATCHDOG("renewed past its lease");

        private final String text;

        Property(String text) {
            this.text = text;
        }
    }

    static Stream<InteropCell> all() {
        List<InteropCell> cells = new ArrayList<>();
        // The watchdog's cells come last: by then their time has passed.
        for (Property property : Property.values()) {
            for (Mode mode : Mode.values()) {
                for (Pair pair : Pair.values()) {
                    for (Direction direction : Direction.values()) {
                        cells.add(new InteropCell(mode, pair, direction, property));
                    }
                }
            }
        }
        return cells.stream();
    }

    @Override
    public String toString() {
        return mode.name().toLowerCase(Locale.ROOT) + ", " + pair.text + ", " + direction.text + ": " + property.text;
    }
}
