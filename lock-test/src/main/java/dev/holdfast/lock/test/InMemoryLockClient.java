package dev.holdfast.lock.test;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.test.memory.Delivery;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A lock client for tests. It is the usual client, engine and scripts included, but its Redis is in memory, and its clock stands still.
 *
 * <p>The clock moves when the test {@linkplain #advance moves it}. It also moves when only time can end a wait: when the test's thread, and every
 * thread that holds a lock, itself waits. So a call that waits five seconds for a lock that another instance holds is refused at once, five seconds
 * later on this clock. A wait that no time can end fails at once, and says who holds what.
 *
 * <p>The methods that change something return when the lock client, its listeners and its callbacks have seen the change. Thread-safe.
 */
public final class InMemoryLockClient extends DelegatingLockClient {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int WAITS_FOR_CALLBACKS = 1_000;

    private final Delivery delivery = new Delivery();
    private final VirtualClock clock = new VirtualClock(delivery);
    private final TrackedExecutor callbacks = new TrackedExecutor();
    private final LockHistory history = new LockHistory(clock);
    private final List<OtherHolder> others = new CopyOnWriteArrayList<>();
    private final MemoryRedis server = new MemoryRedis(clock::now, START, delivery);
    private final Instance app;
    private final Instance elsewhere;
    private final BusyOnce busyOnce;
    private final Pacemaker pacemaker;

    private InMemoryLockClient(Consumer<RedisLockClientBuilder> settings) {
        this.elsewhere = new Instance(
                "another-instance",
                server,
                clock,
                callbacks,
                builder -> builder.watchdogTimeout(AcquireOptions.MAX_LEASE));
        this.busyOnce = new BusyOnce(elsewhere.client());
        this.app = new Instance(
                "this-instance",
                server,
                clock,
                callbacks,
                settings.andThen(builder ->
                        builder.keyPrefix("").listener(history.listener()).listener(busyOnce.listener())));
        this.pacemaker = new Pacemaker(
                clock, app, elsewhere, delivery::awaitIdle, () -> HoldReport.of(app.client(), elsewhere.client()));
        app.traffic().observe(busyOnce::asked, pacemaker::look);
    }

    /** Creates a client with the default settings. */
    public static InMemoryLockClient create() {
        return create(settings -> {});
    }

    /**
     * Creates a client with settings. Those for the connection, the clock and the key prefix have no effect.
     *
     * @param settings changes the defaults
     */
    public static InMemoryLockClient create(Consumer<RedisLockClientBuilder> settings) {
        return new InMemoryLockClient(settings);
    }

    /**
     * Lets time pass. Leases are renewed or end on the way, and waits end, each at its time.
     *
     * @param time how long
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("'time' must not be negative, was " + time);
        }
        pacemaker.testThread();
        clock.advance(time, this::settle);
        settle();
    }

    /** The time that has passed on the clock since this client was created. */
    public Duration time() {
        return clock.passed();
    }

    /**
     * Takes a lock away from its holder, as a failover that forgets it does. The holder learns of it at once.
     *
     * @param lockName a lock that is held
     * @throws IllegalStateException if nobody holds it
     */
    public void lose(String lockName) {
        end(lockName, lease -> LossCause.GONE);
    }

    /**
     * Ends the lease of a lock before its holder releases it, as if its length were over, or, for a renewed lease, as if no renewal had arrived in
     * time. The clock does not move. To let a given lease end by itself, use {@link #advance}.
     *
     * @param lockName a lock that is held
     * @throws IllegalStateException if nobody holds it
     */
    public void expire(String lockName) {
        end(lockName, lease -> lease.isRenewed() ? LossCause.UNCONFIRMED : LossCause.EXPIRED);
    }

    private void end(String lockName, Function<HeldLease, LossCause> cause) {
        pacemaker.testThread();
        List<HeldLease> leases = app.leases(lockName);
        if (leases.isEmpty()) {
            throw new IllegalStateException("Lock '" + lockName + "' is not held by the code under test. "
                    + HoldReport.of(app.client(), elsewhere.client()));
        }
        elsewhere.client().forceRelease(leases.get(0).grant().key());
        leases.forEach(lease -> lease.lose(cause.apply(lease)));
        settle();
    }

    /**
     * Holds a lock as another instance would, renewed until {@link OtherHolder#release} is called.
     *
     * @param lockName the lock, which must be free
     * @throws IllegalStateException if it is held
     */
    public OtherHolder holdElsewhere(String lockName) {
        return holdElsewhere(lockName, LockKind.REENTRANT, AcquireOptions.defaults());
    }

    /**
     * Holds a lock as another instance would, for a given time on this client's clock.
     *
     * @param lockName the lock, which must be free
     * @param lease for how long
     * @throws IllegalStateException if it is held
     */
    public OtherHolder holdElsewhere(String lockName, Duration lease) {
        return holdElsewhere(
                lockName, LockKind.REENTRANT, AcquireOptions.defaults().lease(lease));
    }

    /**
     * Holds a lock of any kind as another instance would.
     *
     * @param lockName the lock, which must be free
     * @param kind the lock's kind
     * @param options how it holds it
     * @throws IllegalStateException if it is held
     */
    public OtherHolder holdElsewhere(String lockName, LockKind kind, AcquireOptions options) {
        pacemaker.testThread();
        Lease lease = elsewhere
                .client()
                .getLock(lockName, kind)
                .tryAcquire(options)
                .orElseThrow(() -> new IllegalStateException(
                        "Lock '" + lockName + "' is not free. " + HoldReport.of(app.client(), elsewhere.client())));
        OtherHolder holder = new OtherHolder(lease, this::settle);
        others.add(holder);
        return holder;
    }

    /**
     * Makes the lock busy for the next acquisition, which waits for its whole wait time and is refused. A later acquisition finds the lock free.
     *
     * @param lockName the lock
     */
    public void nextAcquisitionIsBusy(String lockName) {
        pacemaker.testThread();
        busyOnce.plan(lockName);
    }

    /** Makes Redis unavailable: every command fails until {@link #makeAvailable}. */
    public void makeUnavailable() {
        pacemaker.testThread();
        app.traffic().unavailable(true);
        pacemaker.look();
    }

    /** Ends {@link #makeUnavailable} and {@link #answerAfter}. */
    public void makeAvailable() {
        pacemaker.testThread();
        app.traffic().heal();
        settle();
    }

    /**
     * Delays every answer of Redis by this time on this client's clock, until {@link #makeAvailable}. An answer that takes longer than the client's
     * command timeout never arrives.
     *
     * @param time how long; zero for at once
     */
    public void answerAfter(Duration time) {
        pacemaker.testThread();
        app.traffic().delay(time);
        pacemaker.look();
    }

    /**
     * Adds a note of the test to the history, such as that a mock was called.
     *
     * @param text the note
     */
    public void note(String text) {
        app.awaitListeners();
        history.note(text);
    }

    /** What happened to the locks since this client was created or {@linkplain #reset() reset}. */
    public LockHistory history() {
        settle();
        return history;
    }

    /**
     * Resets the client for a new test: releases all locks, ends all waits and clears the history.
     *
     * @return what the last test left held or waiting, and its waits that would never have ended; empty if there was nothing
     */
    public List<String> reset() {
        pacemaker.testThread();
        settle();
        List<String> left = new ArrayList<>(pacemaker.takeEndlessWaits());
        left.addAll(HoldReport.left(app.client()));
        busyOnce.clear();
        endTrouble();
        others.forEach(OtherHolder::release);
        others.clear();
        app.leases().forEach(lease -> lease.lose(LossCause.CLOSED));
        settle();
        server.clear();
        history.clear();
        return List.copyOf(left);
    }

    /** What waits for an answer, or to be sent again, has it: closing would wait for it in real time. */
    private void endTrouble() {
        app.traffic().heal();
        if (app.traffic().takeTrouble()) {
            clock.advance(app.traffic().patience().multipliedBy(5), delivery::awaitIdle);
        }
    }

    /** Waits until the messages, events and callbacks that are on their way have arrived. */
    private void settle() {
        delivery.awaitIdle();
        app.awaitListeners();
        callbacks.awaitIdle(WAITS_FOR_CALLBACKS);
        delivery.awaitIdle();
    }

    @Override
    LockClient delegate() {
        return app.client();
    }

    @Override
    public void close(Duration grace) {
        pacemaker.close();
        busyOnce.clear();
        endTrouble();
        others.forEach(OtherHolder::release);
        app.client().close(grace);
        elsewhere.client().close();
    }
}
