package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.waiting.Waiter.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a client. There is one room for each lock that has waiters. A room ends with its last waiter. A caller for whose lock nobody waits
 * asks without a room, on a {@link ShortWay}.
 */
public final class WaitingRooms {

    /**
     * The identity of a waiting room within a client.
     *
     * @param lock the lock that the waiters of the room wait for
     * @param guest identifies the waiter of a room for a single waiter; null for the lock's common room
     */
    public record RoomId(LockId lock, @Nullable Object guest) {}

    /**
     * The way of a caller for whose lock nobody waits, and which nobody of this client has. Its first request needs no room. If the request brings a
     * grant that the caller can use, the caller has it. Anything else opens the room, in which the request is under way: another answer, another
     * caller, a message, a caller that gives up.
     */
    final class ShortWay implements Entry {

        private final RoomId id;
        private final WaitableLock lock;
        private final LockPlace place;
        private final Waiter waiter;
        private volatile @Nullable WaitingRoom opened;

        private ShortWay(RoomId id, WaitableLock lock, Waiter waiter) {
            this.id = id;
            this.lock = lock;
            this.waiter = waiter;
            this.place = lock.open(this);
            // Another caller can open the room before this one asks. From then on, the waiter is in the room.
            waiter.enter(this);
        }

        private void ask() {
            try {
                place.ask(waiter);
            } catch (RuntimeException | Error thrown) {
                answered(waiter, new Answer.Unknown(thrown, false));
            }
        }

        @Override
        public void answered(Waiter asker, Answer answer) {
            if (answer instanceof Grant grant && waiter.canUse(grant) && rooms.remove(id, this)) {
                waiter.serve(lock.hold(grant, waiter, false));
                return;
            }
            WaitingRoom room = room();
            if (room != null) {
                room.answered(asker, answer);
            }
        }

        @Override
        public void gaveUp(Waiter left) {
            WaitingRoom room = room();
            if (room != null) {
                room.gaveUp(left);
            }
        }

        @Override
        public void signaled() {
            WaitingRoom room = room();
            if (room != null) {
                room.signaled();
            }
        }

        private WaitingRoom open() {
            WaitingRoom room = new WaitingRoom(WaitingRooms.this, id, lock, place, waiter);
            opened = room;
            return room;
        }

        /** Returns the room that follows, or null if the caller has the lock. */
        private @Nullable WaitingRoom room() {
            WaitingRoom known = opened;
            if (known == null) {
                rooms.computeIfPresent(id, (same, present) -> present == this ? open() : present);
                known = opened;
            }
            return known;
        }
    }

    private final ConcurrentHashMap<RoomId, Entry> rooms = new ConcurrentHashMap<>();
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
        for (boolean entered = false; !entered; ) {
            Entry present = rooms.get(id);
            if (present == null && !(waiter.waits() && lock.heldHereNanos() > 0)) {
                ShortWay way = new ShortWay(id, lock, waiter);
                entered = rooms.putIfAbsent(id, way) == null;
                if (entered) {
                    way.ask();
                }
            } else if (present == null) {
                WaitingRoom room = new WaitingRoom(this, id, lock);
                entered = rooms.putIfAbsent(id, room) == null && room.entered(waiter);
            } else {
                WaitingRoom room = room(present);
                entered = room != null && room.entered(waiter);
                if (!entered) {
                    rooms.remove(id, present);
                }
            }
        }
    }

    /** Returns the room of an entry, or null if its only caller has the lock. */
    static @Nullable WaitingRoom room(@Nullable Entry entry) {
        return entry instanceof ShortWay way ? way.room() : (WaitingRoom) entry;
    }

    private static int count(@Nullable Entry entry) {
        return entry instanceof WaitingRoom room ? room.waiters().count() : entry == null ? 0 : 1;
    }

    /** Removes a room that nobody can enter any more. */
    void ended(RoomId id, WaitingRoom room) {
        rooms.remove(id, room);
    }

    /** Offers a released grant to the next local waiter. If the outcome is false, the caller must still release the grant. */
    public void offer(RoomId id, Grant grant, Consumer<Boolean> outcome) {
        WaitingRoom room = room(rooms.get(id));
        if (room == null || room.waiters().count() == 0) {
            outcome.accept(false);
        } else {
            room.offered(grant, outcome);
        }
    }

    /** Called when the lock was released for other clients although a waiter is here, or when the lock was lost. The room asks for its next turn. */
    public void askAgain(RoomId id) {
        WaitingRoom room = room(rooms.get(id));
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
        return count(rooms.get(id)) == 0;
    }

    /** Returns the number of this client's waiters for any of the given locks. Checks every room. */
    public int waiters(Predicate<LockId> locks) {
        return rooms.entrySet().stream()
                .filter(entry -> locks.test(entry.getKey().lock()))
                .mapToInt(entry -> count(entry.getValue()))
                .sum();
    }

    /** Returns the numbers of this client's waiters, by the keys of their locks. Checks every room once. */
    public Map<String, Integer> waitersByKey() {
        Map<String, Integer> waiters = new HashMap<>();
        rooms.forEach((id, entry) -> waiters.merge(id.lock().key(), count(entry), Integer::sum));
        return waiters;
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
        for (Entry entry : rooms.values()) {
            WaitingRoom room = room(entry);
            if (room != null) {
                CompletableFuture<List<WaitingLock>> answer = new CompletableFuture<>();
                room.listed(most, now, answer);
                asked.add(answer);
            }
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
        for (Entry entry : rooms.values()) {
            WaitingRoom room = room(entry);
            if (room != null) {
                room.closing();
            }
        }
    }
}
