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

/** The waiters of a client: for each lock that somebody waits for a room, which vanishes with its last waiter. */
public final class WaitingRooms {

    private final ConcurrentHashMap<RoomId, WaitingRoom> rooms = new ConcurrentHashMap<>();
    final Timer timer;
    final Ticker ticker;
    final PollSchedule schedule;
    final Counters counters;
    /** Runs what one caller would otherwise do for many others; never callers' code, and never the common pool. */
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

    /** Lets a waiter in. Its result is settled here. */
    public void enter(RoomId id, WaitableLock lock, Waiter waiter) {
        WaitingRoom room = room(id, lock);
        while (!room.enter(waiter)) {
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

    /** Nobody enters the room any more. */
    void ended(RoomId id, WaitingRoom room) {
        rooms.remove(id, room);
    }

    /** Lets a waiter go that has given up. */
    public void left(RoomId id, Waiter waiter) {
        post(id, new Event.GaveUp(waiter));
    }

    private void post(RoomId id, Event event) {
        WaitingRoom room = rooms.get(id);
        if (room != null) {
            room.post(event);
        }
    }

    /** Hands a released grant over to the next local waiter. If the outcome is false, it is still the caller's to release. */
    public void offer(RoomId id, Grant grant, Consumer<Boolean> outcome) {
        WaitingRoom room = rooms.get(id);
        if (room == null || room.waiters() == 0) {
            outcome.accept(false);
        } else {
            room.post(new Event.Offered(grant, outcome));
        }
    }

    /** The lock was released for other clients although somebody waits here, or lost: the room asks for its next turn. */
    public void askAgain(RoomId id) {
        post(id, Event.ReleasedHere.RELEASED_HERE);
    }

    /** For how long a place in the queue that is not heard of is taken for alive: a waiter that lives is heard of twice in that time. */
    public long placeLifetimeMillis() {
        return PollSchedule.placeLifetimeMillis(rooms.mappingCount());
    }

    /** Whether nobody waits in a room. */
    public boolean isEmpty(RoomId id) {
        WaitingRoom room = rooms.get(id);
        return room == null || room.waiters() == 0;
    }

    /** How many wait for a lock in this client. */
    public int waiters(LockId lock) {
        WaitingRoom common = rooms.get(new RoomId(lock, null));
        // Each waiter for a fair lock has a room of its own.
        return KindTraits.of(lock.kind()).isInOrder() ? waiters(lock::equals) : common == null ? 0 : common.waiters();
    }

    /** How many wait in this client for any of these locks. Checks every room. */
    public int waiters(Predicate<LockId> locks) {
        return rooms.entrySet().stream()
                .filter(entry -> locks.test(entry.getKey().lock()))
                .mapToInt(entry -> entry.getValue().waiters())
                .sum();
    }

    /** How many wait for anything in this client. */
    public int waiters() {
        return waiters(any -> true);
    }

    /** The waiters of this client, those first that have waited longest: at most so many. */
    public List<WaitingLock> waiting(int most) {
        // One moment for all, or those that are asked last would seem to have waited longer.
        long now = ticker.now();
        List<CompletableFuture<List<WaitingLock>>> asked = new ArrayList<>();
        for (WaitingRoom room : rooms.values()) {
            CompletableFuture<List<WaitingLock>> answer = new CompletableFuture<>();
            room.post(new Event.Listed(most, now, answer));
            asked.add(answer);
        }
        return asked.stream()
                .map(CompletableFuture::join)
                .flatMap(List::stream)
                .sorted(Comparator.comparing(WaitingLock::waited).reversed())
                .limit(most)
                .toList();
    }

    /** The client closes: every wait ends. */
    public void refuseEverybody() {
        rooms.values().forEach(room -> room.post(new Event.Closing()));
    }
}
