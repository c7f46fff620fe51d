package dev.holdfast.lock.internal.waiting;

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
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One lock in memory with one client's waiting rooms in front of it. Commands, answers and messages are on their way until a test delivers them,
 * each kind in its order, as a connection does. Time passes only where a test says so, and in all less than a poll: what goes wrong stays wrong.
 * Any thread may deliver, call, and let time pass.
 */
class SteppedLock implements WaitableLock, LeaseKeeper {

    /** What a release does for those who wait. */
    enum Releases {
        /** It tells them to ask. */
        TELL,
        /** It grants the lock to the first of them. */
        GRANT
    }

    /** What is on its way in one direction. One thread at a time delivers. */
    static final class Wire {

        private final Queue<Runnable> underWay = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean delivers = new AtomicBoolean();

        void send(Runnable effect) {
            underWay.add(effect);
        }

        /** Delivers what was sent first. Answers whether there was anything. */
        boolean deliver() {
            if (!delivers.compareAndSet(false, true)) {
                return false;
            }
            try {
                Runnable first = underWay.poll();
                if (first != null) {
                    first.run();
                }
                return first != null;
            } finally {
                delivers.set(false);
            }
        }
    }

    static final String NAME = "stepped";
    static final RoomId ROOM = new RoomId(new LockId(LockKind.REENTRANT, NAME), null);
    static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final long YOUNG = Duration.ofMillis(20).toNanos();
    private static final Duration TIME = Duration.ofMillis(21);
    private static final int TOKENS = 3;
    static final LeaseTerms TERMS =
            new LeaseTerms(LEASE, true, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);

    /** Shorter than the time that passes in a step. */
    static final long BRIEF = Duration.ofMillis(20).toNanos();

    final Wire commands = new Wire();
    final Wire answers = new Wire();
    final Wire messages = new Wire();
    final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<HeldLease> held = new ConcurrentLinkedQueue<>();

    final VirtualClock clock = new VirtualClock();
    final Timer timer = Timer.on(clock.scheduler(), clock);
    final Timer leaseTimer = Timer.on(clock.scheduler(), clock);
    private final AtomicBoolean timePasses = new AtomicBoolean();
    private final Releases releases;
    /** Whether a grant that nobody has held is long enough for a waiter other than the one that asked. */
    private final Fit fits;

    private final Watchdog watchdog;
    final WaitingRooms rooms;
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicReference<@Nullable HeldLease> heldHere = new AtomicReference<>();
    private final AtomicReference<@Nullable String> broken = new AtomicReference<>();

    /** How long a lease Redis grants. */
    long granting = LEASE;

    /** What Redis has; used by what the commands' wire delivers. */
    private @Nullable Grant owner;

    private final List<Attempt> line = new ArrayList<>();

    SteppedLock(Releases releases, Fit fits) {
        this.releases = releases;
        this.fits = fits;
        Counters counters = new Counters();
        EventPublisher events = new EventPublisher(
                List.of(),
                counters,
                new LossLog(leaseTimer, clock, System.Logger.Level.WARNING),
                Runnable::run,
                Background.SYSTEM);
        this.watchdog = new Watchdog(leaseTimer, events, counters, clock);
        this.rooms = new WaitingRooms(
                timer, clock, Duration.ofSeconds(10).toNanos(), counters, Runnable::run, Background.SYSTEM::random);
    }

    Waiter enter(long waitNanos) {
        Waiter waiter = new PlainWaiter(TERMS, waitNanos, clock.now());
        waiter.thenAccept(lease -> lease.ifPresent(held::add));
        rooms.enter(ROOM, this, waiter);
        if (!waiter.isDone()) {
            waiting.add(waiter);
        }
        return waiter;
    }

    /** The one that has waited longest gives up. Answers whether there was one. */
    boolean giveUp() {
        Waiter waiter = waiting.poll();
        if (waiter != null) {
            waiter.giveUp();
        }
        return waiter != null;
    }

    /** Answers whether anybody held it. */
    boolean release() {
        HeldLease lease = held.poll();
        if (lease != null) {
            lease.releaseAsync();
        }
        return lease != null;
    }

    /** As one timer thread does. */
    void passTime() {
        if (timePasses.compareAndSet(false, true)) {
            clock.advance(TIME);
            timePasses.set(false);
        }
    }

    void deliverAll() {
        for (int steps = 0; commands.deliver() || answers.deliver() || messages.deliver(); steps++) {
            if (steps == 10_000) {
                throw new AssertionError("Questions without an end");
            }
        }
    }

    /** Delivers everything: then nobody waits for a free lock, and nobody's lock is taken. Then all leave: then nothing is left. */
    void assertNothingIsLost() {
        rest();
        check(broken.get() == null, broken.get());
        check(owner != null || rooms.waiters() == 0, "The lock is free, and " + rooms.waiters() + " wait");
        check(owner == null || holders.get() > 0, "The lock is taken, and nobody holds it");
        boolean some = true;
        while (some) {
            some = release() | giveUp();
            rest();
        }
        check(broken.get() == null, broken.get());
        check(rooms.waiters() == 0, rooms.waiters() + " are counted, and nobody waits");
        check(owner == null, "The lock is taken, and all have left");
        check(line.isEmpty(), line.size() + " places of nobody");
        clock.advance(Duration.ofSeconds(2));
        deliverAll();
        check(timer.pending() == 0, timer.pending() + " timers of nobody");
    }

    private void rest() {
        for (int i = 0; i < 3; i++) {
            deliverAll();
            passTime();
        }
        deliverAll();
    }

    private static void check(boolean fine, @Nullable String problem) {
        if (!fine) {
            throw new AssertionError(problem);
        }
    }

    private Grant grantTo(Attempt attempt, long sentAt) {
        line.remove(attempt);
        Grant grant = new Grant(NAME, NAME, attempt.owner, 64L * numbers.incrementAndGet(), TOKENS, sentAt, granting);
        owner = grant;
        return grant;
    }

    private Answer execute(Attempt attempt, boolean waits, long sentAt) {
        Grant present = owner;
        if (present == null) {
            return new Answer.Granted(grantTo(attempt, sentAt));
        }
        if (present.owner().equals(attempt.owner)) {
            return new Answer.Granted(present);
        }
        if (waits && !line.contains(attempt)) {
            line.add(attempt);
        }
        return new Answer.Busy(LEASE, present.owner(), null, sentAt, Answer.Busy.NOT_TOLD, true, false);
    }

    private void free() {
        owner = null;
        if (releases == Releases.TELL) {
            line.forEach(attempt -> messages.send(() -> attempt.message(null)));
        } else if (!line.isEmpty()) {
            Attempt first = line.get(0);
            Grant grant = grantTo(first, clock.now());
            messages.send(() -> first.message(grant));
        }
    }

    private void free(Grant grant, Runnable answered) {
        commands.send(() -> {
            if (owner == grant) {
                free();
            } else {
                broken.set("Freed by another than the owner");
            }
            answers.send(answered);
        });
    }

    @Override
    public void release(HeldLease lease) {
        heldHere.compareAndSet(lease, null);
        holders.decrementAndGet();
        Grant grant = lease.grant();
        if (rooms.isEmpty(ROOM)) {
            free(grant, () -> lease.freed(true, false));
            return;
        }
        rooms.offer(ROOM, grant, passed -> {
            if (passed) {
                lease.freed(true, false);
            } else {
                free(grant, () -> lease.freed(true, false));
                rooms.askAgain(ROOM);
            }
        });
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        if (holders.incrementAndGet() > 1) {
            broken.set("Two holders");
        }
        HeldLease lease = watchdog.hold(grant, waiter.terms(), clock.now(), this);
        heldHere.set(lease);
        return lease;
    }

    @Override
    public long heldHereNanos() {
        HeldLease lease = heldHere.get();
        return lease == null || !lease.isHeld()
                ? 0
                : Math.max(0, YOUNG - (clock.now() - lease.grant().grantedAt()));
    }

    @Override
    public Fit fit(Grant grant, Waiter next) {
        if (grant.hasBeenHeld()) {
            return clock.now() - grant.grantedAt() < YOUNG && grant.hasToken() ? Fit.AS_IT_IS : Fit.NOT;
        }
        return fits;
    }

    @Override
    public CompletionStage<Boolean> lengthen(Grant grant, Waiter next) {
        CompletableFuture<Boolean> extended = new CompletableFuture<>();
        commands.send(() -> {
            boolean mine = owner == grant;
            answers.send(() -> extended.complete(mine));
        });
        return extended;
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant, () -> {});
    }

    @Override
    public GrantSource open(GrantSource.Receiver room) {
        return new Place(room);
    }

    /** One owner id, from the first question until a grant has it or it is given up. */
    private final class Attempt {

        private final Place place;
        private final String owner = "here:1:" + numbers.incrementAndGet();
        private volatile boolean known;
        private volatile @Nullable Grant granted;

        Attempt(Place place) {
            this.place = place;
        }

        void message(@Nullable Grant grant) {
            if (place.attempt == this) {
                granted = grant;
                place.room.signaled();
            }
        }

        void answered(Answer answer, boolean waits) {
            if (answer instanceof Answer.Granted) {
                known = false;
                place.end(this);
            } else {
                known |= waits;
            }
        }

        void giveUp() {
            line.remove(this);
            Grant present = SteppedLock.this.owner;
            if (present != null && present.owner().equals(owner)) {
                free();
            }
        }
    }

    /** One room's place in line. */
    private final class Place implements GrantSource {

        private volatile @Nullable Attempt attempt;
        private final Receiver room;
        private volatile @Nullable CompletableFuture<Answer> lastAnswer;

        Place(Receiver room) {
            this.room = room;
        }

        void end(Attempt served) {
            if (attempt == served) {
                attempt = null;
            }
        }

        @Override
        public void ask(Waiter waiter) {
            Attempt present = attempt;
            Attempt asked = present == null ? new Attempt(this) : present;
            attempt = asked;
            boolean waits = waiter.waits();
            long sentAt = clock.now();
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            lastAnswer = answer;
            commands.send(() -> {
                Answer executed = execute(asked, waits, sentAt);
                answers.send(() -> {
                    asked.answered(executed, waits);
                    room.answered(waiter, executed);
                    answer.complete(executed);
                });
            });
        }

        @Override
        public void askAside(Waiter waiter) {
            throw new AssertionError("Only one has it at once");
        }

        @Override
        public Optional<Grant> takeGrant() {
            Attempt present = attempt;
            Grant grant = present == null ? null : present.granted;
            if (present == null || grant == null) {
                return Optional.empty();
            }
            present.known = false;
            end(present);
            return Optional.of(grant);
        }

        @Override
        public boolean isSubscribed() {
            return true;
        }

        @Override
        public boolean isInQueue() {
            Attempt present = attempt;
            return present != null && present.known;
        }

        @Override
        public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
            return null;
        }

        @Override
        public void leaveQueue() {
            Attempt left = attempt;
            CompletableFuture<Answer> last = lastAnswer;
            if (left == null || last == null) {
                return;
            }
            attempt = null;
            // A release that is sent at once might overtake the question.
            last.thenRun(() -> {
                if (left.known) {
                    commands.send(left::giveUp);
                }
            });
        }

        @Override
        public void close() {
            // There is no subscription.
        }
    }

    @Override
    public void timedOut(Waiter waiter) {
        // Nobody listens.
    }

    @Override
    public void unavailable(Waiter waiter, Throwable problem) {
        broken.set("Unavailable: " + problem);
    }

    @Override
    public String lockName() {
        return NAME;
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
    public void lost(HeldLease lease, LossCause cause) {
        broken.set("Lost: " + cause);
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
        return due -> {};
    }

    @Override
    public Duration releasePatience() {
        return Duration.ofSeconds(1);
    }
}
