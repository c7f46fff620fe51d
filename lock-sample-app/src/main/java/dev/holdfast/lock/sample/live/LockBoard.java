package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.spring.OnEveryInstance;
import java.time.Clock;
import java.util.List;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends, twice a second, the locks that this instance holds and those for which it waits. The page uses this state to correct itself, because it may
 * have missed an event before it was opened or while its connection was broken.
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
    @OnEveryInstance
    void send() {
        boolean redis = isRedisThere();
        // The time is read before the locks. A hold that began later may be missing from them, but an earlier hold
        // cannot be.
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
     * The state of this instance.
     *
     * @param at the time, in milliseconds since 1970
     * @param redis whether Redis answered
     * @param held the locks that it holds
     * @param waiting its waiting callers
     */
    record Board(long at, boolean redis, List<Held> held, List<Waiting> waiting) {}

    /**
     * A lock that this instance holds.
     *
     * @param lock its name
     * @param kind its kind
     * @param token the fencing token
     * @param heldMillis how long it has been held
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
     * @param lock the name of the lock
     * @param millis how long the caller has waited
     */
    record Waiting(String lock, long millis) {

        static Waiting of(WaitingLock waiting) {
            return new Waiting(waiting.lockName(), waiting.waited().toMillis());
        }
    }
}
