package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.HeldLease.Renewals;
import dev.holdfast.lock.internal.lease.KeeperWithoutRedis;
import dev.holdfast.lock.internal.lease.LeaseTable;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.waiting.WaitingRooms.RoomId;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A lock with one waiting room. The test plays Redis: it answers the room's requests, and lets time pass. */
class PlayedLock extends KeeperWithoutRedis implements WaitableLock, LockPlace {

    static final String NAME = "played";
    static final RoomId ROOM = new RoomId(new LockId(LockKind.REENTRANT, NAME), null);
    static final long LEASE = Duration.ofSeconds(30).toNanos();
    static final Duration HELD_HERE = Duration.ofMillis(20);
    private static final int TOKENS = 3;
    private static final LeaseTerms TERMS =
            new LeaseTerms(LEASE, true, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);

    final VirtualClock clock = new VirtualClock();
    final Timer timer = Timer.on(clock.scheduler(), clock);
    final Timer leaseTimer = Timer.on(clock.scheduler(), clock);
    final WaitingRooms rooms = new WaitingRooms(
            timer, clock, Duration.ofSeconds(10).toNanos(), counters, Runnable::run, Background.SYSTEM::random);
    private final LeaseTable table = table(leaseTimer, clock);

    /** The waiters for which the room has sent requests. */
    final List<Waiter> asked = new ArrayList<>();

    final List<Grant> givenBack = new ArrayList<>();
    /** How many callers were in the room or about to enter it when it gave back a grant. */
    int waitersAtGiveBack;

    /** How often the room has given up its place in the queue. */
    int left;

    private boolean isPlaced;
    private Waiter.@Nullable Entry room;
    private long grants;
    LockKind kind = LockKind.REENTRANT;
    boolean heldHere;
    /** Whether requests can be sent. */
    boolean asks = true;
    /** Whether grants fit waiters that did not ask for them. */
    boolean fits = true;
    /** The grant that a release elsewhere has made. */
    @Nullable
    Grant granted;

    Waiter waiter(long waitNanos) {
        return new PlainWaiter(TERMS, waitNanos, clock.now());
    }

    /** Lets a waiter enter. */
    Waiter enter(long waitNanos) {
        Waiter waiter = waiter(waitNanos);
        rooms.enter(ROOM, this, waiter);
        return waiter;
    }

    /** Answers the last request. */
    void answer(Answer answer) {
        answer(asked.get(asked.size() - 1), answer);
    }

    void answer(Waiter waiter, Answer answer) {
        // The owner id belongs to the grant.
        isPlaced &= !(answer instanceof Grant);
        Objects.requireNonNull(room).answered(waiter, answer);
    }

    /** Returns the room behind the short way of its first waiter. */
    WaitingRoom room() {
        return Objects.requireNonNull(WaitingRooms.room(room));
    }

    /** Delivers the message of a release elsewhere. */
    void signal() {
        Objects.requireNonNull(room).signaled();
    }

    Busy busy() {
        return new Busy(LEASE, null, null, clock.now(), Busy.NOT_TOLD, true, false, false);
    }

    Grant grant() {
        return grant(LEASE);
    }

    Grant grant(long leaseNanos) {
        return new Grant(NAME, NAME, "here:1:" + ++grants, 64L * grants, TOKENS, clock.now(), leaseNanos);
    }

    @Override
    public void release(HeldLease lease) {
        rooms.offer(ROOM, lease.grant(), taken -> lease.freed(true, taken));
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean handedOver) {
        return table.hold(grant, waiter.terms(), clock.now(), null, this);
    }

    @Override
    public long heldHereNanos() {
        return heldHere ? HELD_HERE.toNanos() : 0;
    }

    @Override
    public boolean fits(Grant grant, Waiter next) {
        return fits;
    }

    @Override
    public void giveBack(Grant grant) {
        waitersAtGiveBack = rooms.waiters();
        givenBack.add(grant);
    }

    @Override
    public LockPlace open(Waiter.Entry receiver) {
        room = receiver;
        return this;
    }

    @Override
    public void ask(Waiter waiter) {
        if (!asks) {
            throw new IllegalStateException("The request cannot be sent");
        }
        isPlaced = true;
        asked.add(waiter);
    }

    @Override
    public void askAside(Waiter waiter) {
        asked.add(waiter);
    }

    @Override
    public Optional<Grant> takeGrant(Waiter next) {
        Optional<Grant> taken = Optional.ofNullable(fits ? granted : null);
        granted = null;
        return taken;
    }

    @Override
    public boolean isSubscribed() {
        return true;
    }

    @Override
    public boolean isInQueue() {
        return true;
    }

    @Override
    public @Nullable CompletionStage<Void> listen(Busy refusal) {
        return null;
    }

    @Override
    public void leaveQueue() {
        left += isPlaced ? 1 : 0;
        isPlaced = false;
    }

    @Override
    public void close() {
        // There is no subscription.
    }

    @Override
    public String lockName() {
        return NAME;
    }

    @Override
    public LockKind kind() {
        return kind;
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
        throw new AssertionError("Lost: " + cause);
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
}
