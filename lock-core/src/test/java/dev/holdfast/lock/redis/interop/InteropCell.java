package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import java.util.ArrayList;
import java.util.List;
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
        PLAIN(Form.PLAIN, Form.PLAIN),
        /** Ours is a plain lock. */
        FENCED(Form.FENCED, Form.FENCED),
        FAIR(Form.FAIR, Form.FAIR),
        WRITER_AND_WRITER(Form.WRITE, Form.WRITE),
        WRITER_AND_READER(Form.WRITE, Form.READ),
        READER_AND_WRITER(Form.READ, Form.WRITE);

        final Form held;
        final Form wanted;

        Pair(Form held, Form wanted) {
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

    /** The other library waits. */
    enum Direction {
        HOLDFAST_HOLDS,
        REDISSON_HOLDS
    }

    enum Property {
        /** The other is kept out until the release of the last hold. */
        EXCLUSION,
        /** The other is woken by the message. */
        WAKE_UP,
        /** The holder renews past its lease. */
        WATCHDOG
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
}
