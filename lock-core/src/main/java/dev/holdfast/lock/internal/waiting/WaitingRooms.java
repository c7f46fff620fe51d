package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waiting rooms of a client, one for each lock that somebody here wants at this moment. A room that never had to listen vanishes with
 * its last visitor; one that did lingers a little, so that a busy lock does not subscribe and unsubscribe each time.
 */
public final class WaitingRooms {

    private final ConcurrentHashMap<String, WaitingRoom> rooms = new ConcurrentHashMap<>();
    private final SingleRooms singles = new SingleRooms();
    private final Timer timer;
    private final Ticker ticker;
    private final WaitingRules rules;
    private final Counters counters;
    private final Executor ownThreads;
    private final Crowd crowd = new Crowd();

    /**
     * Creates the rooms of a client.
     *
     * @param ownThreads runs what one caller would otherwise do for many others; never callers' code, and never the common pool
     */
    public WaitingRooms(Timer timer, Ticker ticker, WaitingRules rules, Counters counters, Executor ownThreads) {
        this.timer = timer;
        this.ticker = ticker;
        this.rules = rules;
        this.counters = counters;
        this.ownThreads = ownThreads;
    }

    /**
     * Lets a waiter in; the room settles its result.
     *
     * @param key the room's name
     * @param source where a new room's grants come from
     * @param waiter who wants the lock
     */
    public void enter(String key, Supplier<GrantSource> source, Waiter waiter) {
        WaitingRoom room = rooms.compute(key, (name, present) -> {
            WaitingRoom entered = present != null ? present : room(source.get(), left -> visitorLeft(name, left));
            entered.visitors.incrementAndGet();
            return entered;
        });
        room.enter(waiter);
    }

    /**
     * Lets a waiter into a room of its own, which ends with it. It is one of the lock's waiters like the others.
     *
     * @param key the lock's room, where nobody is met
     * @param source where its grants come from
     * @param waiter who wants the lock
     */
    public void enterAlone(String key, GrantSource source, Waiter waiter) {
        WaitingRoom room = room(source, left -> {
            singles.remove(key, waiter);
            crowd.left();
            left.shut();
        });
        singles.add(key, waiter, room);
        room.enter(waiter);
    }

    private WaitingRoom room(GrantSource source, Consumer<WaitingRoom> onLeave) {
        crowd.entered();
        return new WaitingRoom(source, timer, ticker, rules, crowd, counters, ownThreads, onLeave);
    }

    /** Lets a waiter go that has given up. */
    public void left(String key, Waiter waiter) {
        WaitingRoom single = singles.of(key, waiter);
        WaitingRoom room = single == null ? rooms.get(key) : single;
        if (room != null) {
            room.left(waiter);
        }
    }

    /**
     * Passes a released grant on to the next local waiter.
     *
     * @param key the room's name
     * @param grant released by its holder
     * @param outcome told whether the next waiter gets it; if not, it is still the caller's to release
     */
    public void pass(String key, Grant grant, Consumer<Boolean> outcome) {
        WaitingRoom room = rooms.get(key);
        if (room == null || room.visitors.get() == 0) {
            outcome.accept(false);
        } else {
            room.pass(grant, outcome);
        }
    }

    /** A release was sent that is not passed on although somebody waits here: the room asks for its next turn. */
    public void askAgain(String key) {
        WaitingRoom room = rooms.get(key);
        if (room != null) {
            room.askAgain();
        }
    }

    /** For how long a place in line that is not heard of is taken for alive: a waiter that lives is heard of twice in that time. */
    public long patienceMillis() {
        return crowd.patienceMillis();
    }

    /** How many wait for a lock in this client. */
    public int waiters(String key) {
        WaitingRoom room = rooms.get(key);
        return (room == null ? 0 : room.visitors.get()) + singles.count(key);
    }

    /** How many wait in this client for all locks whose rooms have such names. Looks at every room. */
    public int waiters(Predicate<String> keys) {
        return rooms.entrySet().stream()
                .filter(room -> keys.test(room.getKey()))
                .mapToInt(room -> room.getValue().visitors.get())
                .sum();
    }

    /** How many wait for anything in this client. */
    public int waiters() {
        return rooms.values().stream().mapToInt(room -> room.visitors.get()).sum() + singles.count();
    }

    /** Who waits for anything in this client, those first who have waited longest: so many of them at the most. */
    public List<WaitingLock> waiting(int most) {
        // One moment for all, or whose room is looked at last would seem to have waited longer.
        long now = ticker.now();
        List<CompletableFuture<List<WaitingLock>>> asked = new ArrayList<>();
        rooms.values().stream()
                .filter(room -> room.visitors.get() > 0)
                .forEach(room -> asked.add(room.waiting(most, now)));
        singles.forEach(room -> asked.add(room.waiting(most, now)));
        return asked.stream()
                .map(CompletableFuture::join)
                .flatMap(List::stream)
                .sorted(Comparator.comparing(WaitingLock::waited).reversed())
                .limit(most)
                .toList();
    }

    /** The client closes: tells everybody who waits that it is in vain. */
    public void refuseEverybody() {
        rooms.values().forEach(WaitingRoom::refuseEverybody);
        singles.forEach(WaitingRoom::refuseEverybody);
    }

    private void visitorLeft(String key, WaitingRoom room) {
        rooms.computeIfPresent(key, (name, present) -> {
            if (present != room || room.visitors.decrementAndGet() > 0) {
                return present;
            }
            if (!room.isListening()) {
                crowd.left();
                return null;
            }
            if (!room.lingers) {
                room.lingers = true;
                timer.after(WaitingRules.LINGER_NANOS, () -> lingered(name, room));
            }
            return present;
        });
    }

    private void lingered(String key, WaitingRoom room) {
        @Nullable
        WaitingRoom remaining = rooms.computeIfPresent(key, (name, present) -> {
            room.lingers = false;
            return present == room && room.visitors.get() == 0 ? null : present;
        });
        if (remaining == null) {
            crowd.left();
            room.shut();
        }
    }
}
