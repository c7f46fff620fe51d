package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.event.LossLog;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One lock as Redis would have it, on a virtual clock, and a client's waiting rooms in front of it. It may be held by somebody else, be out
 * of reach, and lose or refuse its signals. Each question takes a round trip.
 */
final class VirtualLock implements LeaseKeeper, WaitableLock {

    static final Duration POLL = Duration.ofSeconds(1);

    /** The room adds a millisecond where Redis gave the time, the way there and back takes another. */
    static final Duration MARGIN = Duration.ofMillis(3);

    private static final String NAME = "virtual";
    private static final RoomId ROOM = new RoomId(new LockId(LockKind.REENTRANT, NAME), null);
    private static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final Duration FIRST_LEASE = Duration.ofSeconds(3);
    private static final Duration HALF_TRIP = Duration.ofNanos(200_000);
    private static final long HELD_HERE = Duration.ofMillis(20).toNanos();
    private static final int TOKENS = 1024;
    private static final LeaseTerms TERMS =
            new LeaseTerms(LEASE, true, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);

    /** How a client hears of releases. */
    enum Signals {
        DELIVERED,
        LOST,
        REFUSED,
        NEVER_CONFIRMED,
        /** A release grants the lock to the place in line, and its message arrives. */
        GRANTED,
        /** The same, but the message is lost. */
        GRANTED_UNHEARD;

        boolean grants() {
            return this == GRANTED || this == GRANTED_UNHEARD;
        }
    }

    final VirtualClock clock = new VirtualClock();
    final VirtualClock.Scheduler roomTimers = clock.scheduler();
    final VirtualClock.Scheduler leaseTimers = clock.scheduler();
    final WaitingRooms rooms;
    private final Watchdog watchdog;
    private final Signals signals;
    private final int handOvers;
    private final List<Source> listeners = new ArrayList<>();
    private final List<Source> line = new ArrayList<>();
    private final Set<Waiter> served = new HashSet<>();

    private long othersUntil = Long.MIN_VALUE;
    private Duration othersTurn = Duration.ZERO;
    private int others;
    private long downUntil = Long.MIN_VALUE;
    private Grant granted;
    private HeldLease held;
    private int handedOff;
    private long grants;
    private int inFlight;
    private int questions;
    private long quietSince = clock.now();

    /** Runs on the thread that asks, before the question is sent. */
    Runnable beforeAsking = () -> {};

    VirtualLock(Signals signals, int handOvers) {
        this.signals = signals;
        this.handOvers = handOvers;
        Timer timer = Timer.on(roomTimers);
        Counters tally = new Counters();
        EventPublisher announcer = new EventPublisher(
                List.of(),
                tally,
                new LossLog(timer, clock, System.Logger.Level.WARNING),
                clock.scheduler(),
                Background.SYSTEM);
        this.watchdog = new Watchdog(Timer.on(leaseTimers), announcer, tally, clock);
        this.rooms =
                new WaitingRooms(timer, clock, POLL.toNanos(), tally, clock.scheduler(), Background.SYSTEM::random);
    }

    /** Another client has it and dies, so that nothing is announced when its lease ends; where releases grant, it releases. */
    void heldByOthersFor(Duration time) {
        others++;
        othersUntil = clock.now() + time.toNanos();
        int which = others;
        if (signals.grants()) {
            clock.after(time, () -> grantToTheFirst(which));
        }
    }

    /** Redis grants the lock for a short time, whether its client hears of it or not. */
    private void grantToTheFirst(int release) {
        if (release != others || granted != null || line.isEmpty()) {
            return;
        }
        Source first = line.get(0);
        grants++;
        handedOff = 0;
        Grant grant =
                new Grant(NAME, NAME, "here:1:" + grants, grants * TOKENS, TOKENS, clock.now(), FIRST_LEASE.toNanos());
        granted = grant;
        first.granted = grant;
        clock.after(FIRST_LEASE, () -> {
            if (first.granted == grant) {
                first.granted = null;
                granted = null;
                grantToTheFirst(release);
            }
        });
        if (signals == Signals.GRANTED) {
            clock.after(HALF_TRIP, () -> first.room.signaled());
        }
    }

    /** The same, unless it is held here. */
    void heldByOthersOnceFree(Duration time) {
        if (granted == null) {
            heldByOthersFor(time);
        }
    }

    /** Each time it is free another client is quicker, and has it for that long. */
    void othersTakeTurns(Duration turn) {
        othersTurn = turn;
    }

    void downFor(Duration time) {
        downUntil = clock.now() + time.toNanos();
    }

    boolean isServed() {
        return !served.isEmpty();
    }

    int questions() {
        return questions;
    }

    int servings() {
        return served.size();
    }

    /** Somebody wants it, and has it for that long when served. */
    Waiter enter(Duration wait, Duration hold) {
        Waiter waiter = new Waiter(TERMS, wait == null ? Waiter.FOREVER : wait.toNanos(), clock.now(), null);
        rooms.enter(ROOM, this, waiter);
        waiter.result().thenAccept(lease -> lease.ifPresent(has -> clock.after(hold, has::releaseAsync)));
        return waiter;
    }

    void giveUp(Waiter waiter) {
        if (waiter.result().cancel(false)) {
            rooms.left(ROOM, waiter);
        }
    }

    /** Lets a millisecond pass; then the lock has not been left unasked for, for longer than that, while somebody waits for it. */
    void tick(Duration longestQuiet) {
        clock.advance(Duration.ofMillis(1));
        if (rooms.waiters() == 0 || inFlight > 0 || held != null) {
            quietSince = clock.now();
        }
        // Millions of times: an assertion of its own would take longer than the room does.
        long quiet = clock.now() - quietSince;
        if (quiet > longestQuiet.toNanos() + MARGIN.toNanos()) {
            throw new AssertionError(
                    "no question for " + Duration.ofNanos(quiet) + " while " + rooms.waiters() + " wait");
        }
    }

    /** All are gone: what is still planned is the end of the room's subscription, and then nothing. */
    void assertNothingIsArmed() {
        clock.advance(Duration.ofMillis(10));
        assertThat(rooms.waiters()).as("waiters").isZero();
        assertThat(roomTimers.pending()).as("timers of an empty room").isLessThanOrEqualTo(1);
        clock.advance(Duration.ofMinutes(1));
        assertThat(roomTimers.pending()).as("timers of no room").isZero();
        assertThat(listeners).as("subscriptions of no room").isEmpty();
        assertThat(granted).as("a grant that nobody has").isNull();
        assertThat(line).as("places of no room").isEmpty();
    }

    private void ask(Source place, Waiter waiter) {
        inFlight++;
        questions++;
        assertThat(inFlight).as("questions at once").isOne();
        long sentAt = clock.now();
        int turn = place.turn;
        clock.after(HALF_TRIP, () -> {
            Answer executed = execute(place, waiter, sentAt);
            if (place.turn != turn) {
                // It has left meanwhile, and takes back what its last question brings.
                line.remove(place);
            }
            clock.after(HALF_TRIP, () -> {
                inFlight--;
                quietSince = clock.now();
                place.room.answered(waiter, executed);
            });
        });
    }

    private Answer execute(Source place, Waiter waiter, long sentAt) {
        long now = clock.now();
        if (now < downUntil) {
            return new Answer.Unknown(new IllegalStateException("no connection"), true);
        }
        if (place.granted != null) {
            Grant found = place.granted;
            place.granted = null;
            line.remove(place);
            return new Answer.Granted(found);
        }
        if ((now < othersUntil || granted != null) && waiter.waits() && !line.contains(place)) {
            line.add(place);
        }
        if (now < othersUntil) {
            return new Answer.Busy(
                    othersUntil - now, "others:1:" + others, null, now, Answer.Busy.NOT_TOLD, true, false);
        }
        if (granted != null) {
            return new Answer.Busy(LEASE, granted.owner(), null, now, Answer.Busy.NOT_TOLD, true, false);
        }
        line.remove(place);
        grants++;
        handedOff = 0;
        granted = new Grant(NAME, NAME, "here:1:" + grants, grants * TOKENS, TOKENS, sentAt, LEASE);
        return new Answer.Granted(granted);
    }

    private HeldLease hold(Grant grant, Waiter waiter) {
        assertThat(served.add(waiter)).as("served once").isTrue();
        assertThat(held).as("held by nobody else here").isNull();
        held = watchdog.hold(grant, waiter.terms(), clock.now(), this);
        return held;
    }

    private CompletableFuture<Void> free(Grant grant) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        clock.after(HALF_TRIP, () -> {
            assertThat(granted).isSameAs(grant);
            granted = null;
            if (!othersTurn.isZero()) {
                heldByOthersFor(othersTurn);
            } else if (signals.grants()) {
                grantToTheFirst(others);
            }
            if (signals == Signals.DELIVERED) {
                List.copyOf(listeners).forEach(place -> place.room.signaled());
            }
            clock.after(HALF_TRIP, () -> answer.complete(null));
        });
        return answer;
    }

    @Override
    public void release(HeldLease lease) {
        assertThat(held).isSameAs(lease);
        held = null;
        quietSince = clock.now();
        if (handedOff++ < handOvers) {
            rooms.offer(ROOM, lease.grant(), passed -> {
                if (passed) {
                    lease.freed(true);
                } else {
                    free(lease.grant()).thenAccept(done -> lease.freed(true));
                }
            });
        } else {
            free(lease.grant()).thenAccept(done -> lease.freed(true));
            rooms.askAgain(ROOM);
        }
    }

    /** One room's. */
    private final class Source implements GrantSource {
        private final Receiver room;
        private Grant granted;
        private int turn;

        Source(Receiver room) {
            this.room = room;
        }

        @Override
        public void ask(Waiter waiter) {
            beforeAsking.run();
            VirtualLock.this.ask(this, waiter);
        }

        @Override
        public void askAside(Waiter waiter) {
            throw new AssertionError("Only one has it at once");
        }

        @Override
        public Optional<Grant> takeGrant() {
            Optional<Grant> taken = Optional.ofNullable(granted);
            granted = null;
            taken.ifPresent(grant -> line.remove(this));
            return taken;
        }

        @Override
        public boolean isInQueue() {
            return true;
        }

        @Override
        public boolean isSubscribed() {
            return signals != Signals.REFUSED && signals != Signals.NEVER_CONFIRMED;
        }

        @Override
        public CompletionStage<Void> listen(Answer.Busy refusal) {
            if (isListening() || signals.grants()) {
                return null;
            }
            listeners.add(this);
            CompletableFuture<Void> ready = new CompletableFuture<>();
            if (signals == Signals.REFUSED) {
                clock.after(HALF_TRIP, () -> ready.completeExceptionally(new IllegalStateException("refused")));
            } else if (signals != Signals.NEVER_CONFIRMED) {
                clock.after(HALF_TRIP, () -> ready.complete(null));
            }
            return ready;
        }

        private boolean isListening() {
            return listeners.contains(this);
        }

        @Override
        public void leaveQueue() {
            turn++;
            Grant unused = granted;
            granted = null;
            line.remove(this);
            if (unused != null) {
                free(unused);
            }
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }

    @Override
    public long heldHereNanos() {
        return held == null || !held.isHeld()
                ? 0
                : Math.max(0, HELD_HERE - (clock.now() - held.grant().grantedAt()));
    }

    @Override
    public GrantSource open(GrantSource.Receiver room) {
        return new Source(room);
    }

    @Override
    public Fit fit(Grant grant, Waiter next) {
        return Fit.AS_IT_IS;
    }

    @Override
    public CompletionStage<Boolean> lengthen(Grant grant, Waiter next) {
        throw new AssertionError("Each grant is long enough");
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        return hold(grant, waiter);
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant);
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
    public String lockName() {
        return NAME;
    }

    @Override
    public long longestAnswerNanos() {
        return LEASE;
    }

    @Override
    public RuntimeException unanswered() {
        return new IllegalStateException("unanswered");
    }

    @Override
    public RuntimeException closed() {
        return new IllegalStateException("closed");
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    public KindTraits traits() {
        return KindTraits.of(LockKind.REENTRANT);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        throw new AssertionError("Nothing is lost here, but " + cause);
    }

    @Override
    public boolean verify(HeldLease lease) {
        return true;
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        return true;
    }

    @Override
    public Renewals renewals() {
        return leases -> leases.forEach(lease -> lease.renewalConfirmed(clock.now(), LEASE));
    }

    @Override
    public Duration releasePatience() {
        return POLL;
    }
}
