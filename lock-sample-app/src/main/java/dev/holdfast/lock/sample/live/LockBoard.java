package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Writes up once a second what this instance holds, and who waits for the locks that have a line at the counter. */
@Component
class LockBoard {

    /** The locks that people queue for. Their waiters stand in Redis in order only where the lock is fair. */
    private static final List<String> QUEUES = List.of("packing", "stock:lamps", "price-list", "courier");

    private final LockClient locks;
    private final LiveEvents live;
    private volatile @Nullable String self;

    LockBoard(LockClient locks, LiveEvents live) {
        this.locks = locks;
        this.live = live;
    }

    @Scheduled(fixedDelay = 1_000)
    void write() {
        List<Held> held = locks.heldLocks().stream().map(Held::of).toList();
        List<Queue> queues = new ArrayList<>();
        try {
            for (String name : QUEUES) {
                locks.inspect(name).map(this::queue).ifPresent(queues::add);
            }
            live.send("board", new Board(true, self, held, queues));
        } catch (LockException unavailable) {
            live.send("board", new Board(false, self, held, List.of()));
        }
    }

    private Queue queue(LockState state) {
        for (LockState.Holder holder : state.holders()) {
            recognise(state.lockName(), holder);
        }
        List<String> line = state.queue().stream().map(LockBoard::client).toList();
        return new Queue(state.lockName(), line, state.waitersHere());
    }

    /** This client's id in Redis is that of a holder whose token is one of ours. */
    private void recognise(String lock, LockState.Holder holder) {
        OptionalLong token = holder.fencingToken();
        if (self == null && token.isPresent()) {
            Optional<HeldLock> mine = locks.heldLocks().stream()
                    .filter(each -> each.lockName().equals(lock) && each.fencingToken() == token.getAsLong())
                    .findFirst();
            mine.ifPresent(each -> self = holder.client());
        }
    }

    private static String client(String owner) {
        return owner.substring(0, owner.indexOf(':'));
    }

    /**
     * What this instance sees.
     *
     * @param redis whether Redis answered
     * @param client this instance's id in Redis, once known
     * @param held what it holds
     * @param queues who waits
     */
    record Board(boolean redis, @Nullable String client, List<Held> held, List<Queue> queues) {}

    /**
     * A lock that this instance holds.
     *
     * @param lock its name
     * @param kind its kind
     * @param token the fencing token
     * @param heldMillis since when
     * @param remainingMillis how long the lease lasts if no renewal succeeds
     */
    record Held(String lock, String kind, String token, long heldMillis, long remainingMillis) {
        static Held of(HeldLock held) {
            return new Held(
                    held.lockName(),
                    held.kind().name(),
                    Long.toString(held.fencingToken()),
                    held.held().toMillis(),
                    held.remaining().toMillis());
        }
    }

    /**
     * Who waits for a lock.
     *
     * @param lock its name
     * @param line the clients in Redis's queue, the next one first
     * @param here how many wait in this instance
     */
    record Queue(String lock, List<String> line, int here) {}
}
