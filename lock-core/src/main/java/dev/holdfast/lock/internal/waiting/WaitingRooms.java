package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters of a client: for each lock a lone one, or a room for several, which vanishes with its last waiter. */
public final class WaitingRooms {

    /** The waiters for one lock: a lone one, or a room for several. */
    sealed interface RoomEntry permits LoneWaiter, WaitingRoom {

        /** How many there are. */
        int waiters();
    }

    private final ConcurrentHashMap<RoomId, RoomEntry> entries = new ConcurrentHashMap<>();
    final Timer timer;
    final Ticker ticker;
    /** How long a room sleeps at most before it asks again although nothing wakes it. */
    final long pollNanos;

    final Counters counters;
    /** Runs what one caller would otherwise do for many others; never callers' code, and never the common pool. */
    final Executor ownThreads;
    /** A number between two others: clients that were refused together do not ask again together. */
    final DoubleBinaryOperator chance;

    public WaitingRooms(
            Timer timer,
            Ticker ticker,
            long pollNanos,
            Counters counters,
            Executor ownThreads,
            DoubleBinaryOperator chance) {
        this.timer = timer;
        this.ticker = ticker;
        this.pollNanos = pollNanos;
        this.counters = counters;
        this.ownThreads = ownThreads;
        this.chance = chance;
    }

    /** Lets a waiter in. Its result is settled here. */
    public void enter(RoomId id, WaitableLock grants, Waiter waiter) {
        if (entries.get(id) == null && (!waiter.waits() || grants.heldHereNanos() == 0)) {
            LoneWaiter lone = new LoneWaiter(waiter, grants);
            if (entries.putIfAbsent(id, lone) == null) {
                askAlone(id, lone);
                return;
            }
        }
        WaitingRoom room = (WaitingRoom) entries.compute(id, (same, present) -> {
            WaitingRoom entered = present == null ? room(id, grants) : room(id, present);
            entered.waiters.incrementAndGet();
            return entered;
        });
        room.enter(waiter);
    }

    private WaitingRoom room(RoomId id, WaitableLock grants) {
        return new WaitingRoom(this, id, grants, grants.open(), null);
    }

    private WaitingRoom room(RoomId id, RoomEntry present) {
        if (present instanceof WaitingRoom room) {
            return room;
        }
        LoneWaiter lone = (LoneWaiter) present;
        // The source is one thread's at a time: this waits until the lone waiter's question is sent.
        synchronized (lone) {
            WaitingRoom room = new WaitingRoom(this, id, lone.grants, lone.source, lone.waiter);
            lone.room = room;
            return room;
        }
    }

    private void askAlone(RoomId id, LoneWaiter lone) {
        try {
            CompletionStage<Answer> question = lone.ask();
            if (question == null) {
                Objects.requireNonNull(lone.room).questions.askExpected();
            } else {
                question.whenComplete((answer, failure) ->
                        answered(id, lone, failure == null ? answer : new Unknown(failure, false)));
            }
        } catch (RuntimeException | Error thrown) {
            answered(id, lone, new Unknown(thrown, false));
        }
    }

    private void answered(RoomId id, LoneWaiter lone, Answer answer) {
        if (lone.endsWith(answer) && entries.remove(id, lone)) {
            lone.end(answer);
            return;
        }
        entries.computeIfPresent(id, (same, present) -> present == lone ? room(id, lone) : present);
        WaitingRoom room = lone.room;
        if (room == null) {
            lone.discard(answer);
        } else {
            room.questions.answered(lone.waiter, answer);
        }
    }

    /** Lets a waiter go that has given up. */
    public void left(RoomId id, Waiter waiter) {
        RoomEntry entry = entries.computeIfPresent(
                id,
                (same, present) ->
                        present instanceof LoneWaiter lone && lone.waiter != waiter ? present : room(id, present));
        if (entry instanceof WaitingRoom room) {
            room.left(waiter);
        }
    }

    /** Passes a released grant on to the next local waiter. If the outcome is false, it is still the caller's to release. */
    public void pass(RoomId id, Grant grant, Consumer<Boolean> outcome) {
        WaitingRoom room = (WaitingRoom) entries.computeIfPresent(id, (same, present) -> room(id, present));
        if (room == null || room.waiters() == 0) {
            outcome.accept(false);
        } else {
            room.pass(grant, outcome);
        }
    }

    /** A release was sent that is not passed on although somebody waits here: the room asks for its next turn. */
    public void askAgain(RoomId id) {
        if (entries.get(id) instanceof WaitingRoom room) {
            room.askAgain();
        }
    }

    /** For how long a place in line that is not heard of is taken for alive: a waiter that lives is heard of twice in that time. */
    public long placeLifetimeMillis() {
        return LastAnswer.placeLifetimeMillis(count());
    }

    /** How many locks are waited for. */
    long count() {
        return entries.mappingCount();
    }

    /** Whether anybody waits in a room. */
    public boolean isEmpty(RoomId id) {
        RoomEntry entry = entries.get(id);
        return entry == null || entry.waiters() == 0;
    }

    /** How many wait for a lock in this client. */
    public int waiters(LockId lock) {
        RoomEntry common = entries.get(new RoomId(lock, null));
        // Each waiter for a fair lock has a room of its own.
        return lock.kind().isFair() ? waiters(lock::equals) : common == null ? 0 : common.waiters();
    }

    /** How many wait in this client for any of these locks. Checks every room. */
    public int waiters(Predicate<LockId> locks) {
        return entries.entrySet().stream()
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
        for (RoomEntry entry : entries.values()) {
            if (entry instanceof WaitingRoom room) {
                asked.add(room.waiting(most, now));
            } else if (entry instanceof LoneWaiter lone) {
                asked.add(CompletableFuture.completedFuture(List.of(lone.waiter.describe(lone.grants, now))));
            }
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
        for (RoomId id : entries.keySet()) {
            RoomEntry entry = entries.computeIfPresent(id, (same, present) -> room(id, present));
            if (entry instanceof WaitingRoom room) {
                room.refuseEverybody();
            }
        }
    }

    void waiterLeft(RoomId id, WaitingRoom room) {
        entries.computeIfPresent(id, (same, present) -> {
            if (present != room || room.waiters.decrementAndGet() > 0 || room.wakeUps.awaitsRelease()) {
                return present;
            }
            return ended(room);
        });
    }

    /** The alarm rang in a room that was kept for those who come back. */
    void emptied(RoomId id, WaitingRoom room) {
        entries.computeIfPresent(id, (same, present) -> present != room || room.waiters() > 0 ? present : ended(room));
    }

    private static @Nullable WaitingRoom ended(WaitingRoom room) {
        room.shut();
        return null;
    }
}
