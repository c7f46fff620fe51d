package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.WaitingLock;
import java.time.Clock;
import java.util.List;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends, twice a second, what this instance holds and waits for at one moment. The page corrects itself by it: an event may have been sent
 * before the page was opened, or while its connection was broken.
 */
@Component
class LockBoard {

    private final LockClient locks;
    private final LiveEvents live;
    private final Clock clock = Clock.systemUTC();

    LockBoard(LockClient locks, LiveEvents live) {
        this.locks = locks;
        this.live = live;
    }

    @Scheduled(fixedDelay = 500)
    void send() {
        boolean redis = isRedisThere();
        // Read before the locks: a hold that began later may be missing from them, an earlier one may not.
        long at = clock.millis();
        List<Held> held = locks.heldLocks().stream().map(Held::of).toList();
        List<Waiting> waiting = locks.waitingLocks().stream().map(Waiting::of).toList();
        live.send("board", new Board(at, redis, held, waiting));
    }

    private boolean isRedisThere() {
        try {
            locks.inspect("stock-report");
            return true;
        } catch (LockException unavailable) {
            return false;
        }
    }

    /**
     * What this instance sees.
     *
     * @param at when, in milliseconds since 1970
     * @param redis whether Redis answered
     * @param held what it holds
     * @param waiting what its callers wait for
     */
    record Board(long at, boolean redis, List<Held> held, List<Waiting> waiting) {}

    /**
     * A lock that this instance holds.
     *
     * @param lock its name
     * @param kind its kind
     * @param token the fencing token
     * @param heldMillis for how long
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
     * A caller that waits.
     *
     * @param lock for which lock
     * @param millis for how long
     */
    record Waiting(String lock, long millis) {

        static Waiting of(WaitingLock waiting) {
            return new Waiting(waiting.lockName(), waiting.waited().toMillis());
        }
    }
}
