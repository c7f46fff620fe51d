package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LockId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters of a client. There is one room for each lock that has waiters. A room ends with its last waiter. */
public final class WaitingRooms {

    /**
     * The identity of a waiting room within a client.
     *
     * @param lock the lock that the waiters of the room wait for
     * @param guest identifies the waiter of a room for a single waiter; null for the lock's common room
     */
    public record RoomId(LockId lock, @Nullable Object guest) {}

    private final ConcurrentHashMap<RoomId, WaitingRoom> rooms = new ConcurrentHashMap<>();
    final Timer timer;
    final Ticker ticker;
    final PollSchedule schedule;
    final Counters counters;
    /** Runs work that one caller would otherwise do for many others. Never runs callers' code, and is never the common pool. */
    final Executor ownThreads;

    public WaitingRooms(
            Timer timer,
            Ticker ticker,
            long pollNanos,
            Counters counters,
            Executor ownThreads,
            DoubleBinaryOperator chance) {
        this.timer = timer;
        this.ticker = ticker;
        this.schedule = new PollSchedule(pollNanos, rooms::mappingCount, chance);
        this.counters = counters;
        this.ownThreads = ownThreads;
    }

    /** Lets a waiter enter its room. The room sets the waiter's result. */
    public void enter(RoomId id, WaitableLock lock, Waiter waiter) {
        WaitingRoom room = room(id, lock);
        while (!room.entered(waiter)) {
            ended(id, room);
            room = room(id, lock);
        }
    }

    private WaitingRoom room(RoomId id, WaitableLock lock) {
        WaitingRoom present = rooms.get(id);
        if (present == null) {
            WaitingRoom opened = new WaitingRoom(this, id, lock);
            present = rooms.putIfAbsent(id, opened);
            return present == null ? opened : present;
        }
        return present;
    }

    /** Removes a room that nobody can enter any more. */
    void ended(RoomId id, WaitingRoom room) {
        rooms.remove(id, room);
    }

    /** Offers a released grant to the next local waiter. If the outcome is false, the caller must still release the grant. */
    public void offer(RoomId id, Grant grant, Consumer<Boolean> outcome) {
        WaitingRoom room = rooms.get(id);
        if (room == null || room.waiters().count() == 0) {
            outcome.accept(false);
        } else {
            room.offered(grant, outcome);
        }
    }

    /** Called when the lock was released for other clients although a waiter is here, or when the lock was lost. The room asks for its next turn. */
    public void askAgain(RoomId id) {
        WaitingRoom room = rooms.get(id);
        if (room != null) {
            room.releasedHere();
        }
    }

    /**
     * Returns how long a place in the queue counts as alive without a new request. The client of a live waiter sends at least two requests in that
     * time.
     */
    public long placeLifetimeMillis() {
        return PollSchedule.placeLifetimeMillis(rooms.mappingCount());
    }

    /** Returns whether a room has no waiters. */
    public boolean isEmpty(RoomId id) {
        WaitingRoom room = rooms.get(id);
        return room == null || room.waiters().count() == 0;
    }

    /** Returns the number of this client's waiters for a lock. */
    public int waiters(LockId lock) {
        WaitingRoom common = rooms.get(new RoomId(lock, null));
        // Each waiter for a fair lock has its own room.
        return KindTraits.of(lock.kind()).isInOrder()
                ? waiters(lock::equals)
                : common == null ? 0 : common.waiters().count();
    }

    /** Returns the number of this client's waiters for any of the given locks. Checks every room. */
    public int waiters(Predicate<LockId> locks) {
        return rooms.entrySet().stream()
                .filter(entry -> locks.test(entry.getKey().lock()))
                .mapToInt(entry -> entry.getValue().waiters().count())
                .sum();
    }

    /** Returns the number of this client's waiters for all locks. */
    public int waiters() {
        return waiters(any -> true);
    }

    /** Returns at most the given number of this client's waiters, the longest waits first. */
    public List<WaitingLock> waiting(int most) {
        // Uses the same time for all rooms. Otherwise, waiters of rooms that answer later would seem to have waited
        // longer.
        long now = ticker.now();
        List<CompletableFuture<List<WaitingLock>>> asked = new ArrayList<>();
        for (WaitingRoom room : rooms.values()) {
            CompletableFuture<List<WaitingLock>> answer = new CompletableFuture<>();
            room.listed(most, now, answer);
            asked.add(answer);
        }
        return asked.stream()
                .map(CompletableFuture::join)
                .flatMap(List::stream)
                .sorted(Comparator.comparing(WaitingLock::waited).reversed())
                .limit(most)
                .toList();
    }

    /** Ends every wait, because the client closes. */
    public void refuseEverybody() {
        rooms.values().forEach(WaitingRoom::closing);
    }
}
