package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.chaos.Interleavings;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LeasesByHand;
import dev.holdfast.lock.internal.lease.LockId;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads of one client come, give up and release, with the lock in memory and clocks that stand still, so that no poll repairs what went wrong:
 * one waiter at a time gets the lock, and it is never free while somebody waits.
 */
public class WaitingRoomsConcurrencyTest {

    private static final RoomId ROOM = new RoomId(new LockId(LockKind.REENTRANT, "lock"), null);

    private final LeasesByHand leases = new LeasesByHand(this::release);
    private final WaitingRooms rooms = new WaitingRooms(
            leases.timer(),
            leases.ticker(),
            new WaitingRules(1_000_000_000, 2, Long.MAX_VALUE / 2),
            leases.counters(),
            Runnable::run);
    private final MemoryLock lock = new MemoryLock();
    private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<HeldLease> held = new ConcurrentLinkedQueue<>();
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger twoHolders = new AtomicInteger();

    @Operation
    public void enter() {
        enter(Waiter.FOREVER);
    }

    @Operation
    public void tryOnce() {
        enter(0);
    }

    private void enter(long wait) {
        Waiter waiter = new Waiter(leases.terms(), wait, leases.ticker().now());
        waiter.result().thenAccept(lease -> lease.ifPresent(held::add));
        rooms.enter(ROOM, lock, waiter);
        waiting.add(waiter);
    }

    @Operation
    public void giveUp() {
        Waiter waiter = waiting.poll();
        if (waiter != null && waiter.result().cancel(false)) {
            rooms.left(ROOM, waiter);
        }
    }

    @Operation
    public void release() {
        HeldLease lease = held.poll();
        if (lease != null) {
            lease.releaseAsync();
        }
    }

    /** As the engine does. */
    private void release(HeldLease lease) {
        holders.decrementAndGet();
        rooms.pass(ROOM, lease.grant(), passed -> {
            if (!passed) {
                lock.free(lease.grant());
            }
            lease.freed(true);
        });
    }

    @Validate
    public void nobodyWaitsForAFreeLock() {
        if (twoHolders.get() > 0) {
            throw new AssertionError("two holders");
        }
        if (lock.owner.get() == null && rooms.waiters() > 0) {
            throw new AssertionError("The lock is free, and " + rooms.waiters() + " wait");
        }
        if (lock.owner.get() != null && holders.get() == 0) {
            throw new AssertionError("The lock is taken, and nobody holds it");
        }
    }

    @Test
    @Tag(Interleavings.TAG)
    void lockIsNeverFreeWhileSomebodyWaits() {
        Interleavings.check(WaitingRoomsConcurrencyTest.class);
    }

    /** Redis, as far as a room sees it. Signals reach those who have asked. */
    private final class MemoryLock implements Grants {

        final AtomicReference<@Nullable Grant> owner = new AtomicReference<>();
        private final Set<Source> line = ConcurrentHashMap.newKeySet();

        void free(Grant grant) {
            if (!owner.compareAndSet(grant, null)) {
                throw new AssertionError("Freed by another than the owner");
            }
            line.forEach(Source::signal);
        }

        /** A waiter that relied on it would sleep for a moment if the release was quicker. */
        @Override
        public long heldHereNanos() {
            return 0;
        }

        @Override
        public GrantSource open() {
            return new Source();
        }

        @Override
        public CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
            if (holders.incrementAndGet() > 1) {
                twoHolders.incrementAndGet();
            }
            return leases.hold(grant);
        }

        @Override
        public void giveBack(Grant grant) {
            free(grant);
        }

        @Override
        public String lockName() {
            return "lock";
        }

        @Override
        public LockKind kind() {
            return LockKind.REENTRANT;
        }

        @Override
        public void timedOut(Waiter waiter) {
            // Nobody listens.
        }

        @Override
        public void unavailable(Waiter waiter, Throwable problem) {
            // Nobody listens.
        }

        @Override
        public RuntimeException closed() {
            return new IllegalStateException("closed");
        }

        private final class Source implements GrantSource {

            private volatile Runnable onSignal = () -> {};
            private volatile boolean signalled;

            void signal() {
                signalled = true;
                onSignal.run();
            }

            @Override
            public void onSignal(Runnable signal) {
                onSignal = signal;
                if (signalled) {
                    signal.run();
                }
            }

            @Override
            public CompletionStage<Answer> ask(Waiter waiter) {
                signalled = false;
                if (waiter.waits()) {
                    line.add(this);
                }
                Grant grant = leases.grant();
                if (owner.compareAndSet(null, grant)) {
                    return CompletableFuture.completedFuture(new Answer.Granted(grant));
                }
                return CompletableFuture.completedFuture(new Answer.Busy(
                        1_000_000_000, null, null, leases.ticker().now(), Answer.Busy.NOT_TOLD, true));
            }

            @Override
            public CompletionStage<Answer> askAside(Waiter waiter) {
                throw new AssertionError("Only one has it at once");
            }

            @Override
            public Optional<Grant> takeGrant() {
                return Optional.empty();
            }

            @Override
            public boolean isInLine() {
                return line.contains(this);
            }

            @Override
            public boolean isShared() {
                return false;
            }

            @Override
            public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
                return null;
            }

            @Override
            public boolean isListening() {
                return false;
            }

            @Override
            public void leaveLine() {
                line.remove(this);
            }

            @Override
            public void close() {
                line.remove(this);
            }
        }
    }
}
