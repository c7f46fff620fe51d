package dev.holdfast.lock.test;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.test.memory.Delivery;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A lock client for tests. It is the usual client, with the usual engine and scripts, but its Redis is in memory, and its clock stands still.
 *
 * <p>The clock moves when the test {@linkplain #advance moves it}. It also moves when only time can end a wait. This is so if the thread that
 * controls this client, and every thread that holds an awaited lock, itself waits for a lock. For example, a call that waits five seconds for a lock
 * of another instance is refused at once, five seconds later on this clock. A wait that time cannot end fails at once, and its message says who holds
 * which lock. If other threads could end a wait, it continues for some seconds. It then fails, and its message explains how the test can decide: by
 * {@link #advance} or {@link #autoAdvance}.
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
    private final MemoryRedis server = new MemoryRedis(clock::now, START, delivery);
    private final BlockedCallers blocked;
    private final Instance app;
    private final Instance elsewhere;
    private final BusyOnce busyOnce;
    private final OtherHolders others;
    private final Standstill standstill;
    private final Pacemaker pacemaker;

    private InMemoryLockClient(Consumer<RedisLockClientBuilder> settings) {
        this.blocked = new BlockedCallers(clock, this::look);
        this.elsewhere = new Instance(
                "another-instance",
                server,
                clock,
                blocked,
                callbacks,
                // The test causes losses of the other instance on purpose. A warning would look like a loss in the code
                // under test.
                System.Logger.Level.DEBUG,
                builder -> builder.watchdogTimeout(AcquireOptions.MAX_LEASE));
        this.busyOnce = new BusyOnce(elsewhere.client(), several);
        this.app = new Instance(
                "this-instance",
                server,
                clock,
                blocked,
                callbacks,
                System.Logger.Level.WARNING,
                settings.andThen(builder ->
                        builder.keyPrefix("").listener(history.listener()).listener(busyOnce.listener())));
        this.others = new OtherHolders(elsewhere.client(), this::report, this::settle);
        this.standstill = new Standstill(clock, blocked, callbacks, app);
        this.pacemaker = new Pacemaker(
                clock, app, elsewhere, standstill, blocked, delivery::awaitIdle, server::wakeWaiters, this::report);
        app.client().addListener(pacemaker);
        app.traffic().observe(busyOnce::asked, pacemaker::look);
    }

    private String report() {
        return HoldReport.of(app.client(), elsewhere.client());
    }

    private void look() {
        pacemaker.look();
    }

    /** Creates a client with the default settings. */
    public static InMemoryLockClient create() {
        return create(settings -> {});
    }

    /**
     * Creates a client with settings. Settings of the connection, the clock and the key prefix have no effect.
     *
     * @param settings changes the defaults
     */
    public static InMemoryLockClient create(Consumer<RedisLockClientBuilder> settings) {
        return new InMemoryLockClient(settings);
    }

    /**
     * Lets time pass on the clock. In this time, leases are renewed or end, and waits end, each at its time.
     *
     * @param time how much time passes
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("'time' must not be negative, was " + time);
        }
        standstill.testThread();
        clock.advance(time, this::settle);
        settle();
    }

    /**
     * Lets time pass automatically until the {@linkplain #reset() next test}. From now on, time ends every wait that no thread of the code under test
     * ends. The test thereby promises two things that the client cannot know: it releases and changes nothing while a caller waits, and each lease is
     * released by the thread that acquired it. Use this for waits behind a server, a reactive pipeline or a stage, whose threads the client does not
     * see.
     */
    public void autoAdvance() {
        standstill.testThread();
        standstill.declared(true);
        pacemaker.look();
    }

    /** Returns the time that has passed on the clock since this client was created. */
    public Duration time() {
        return clock.passed();
    }

    /**
     * Takes a lock away from its holder, like a failover that loses the lock. The holder is notified at once.
     *
     * @param lockName a lock that is held
     * @throws IllegalStateException if the code under test does not hold it
     */
    public void lose(String lockName) {
        end(lockName, lease -> LossCause.GONE);
    }

    /**
     * Ends the lease of a lock before its holder releases it, as if the lease time were over or, for a renewed lease, as if no renewal had arrived in
     * time. The clock does not move. To let a lease with a fixed length end by itself, use {@link #advance}.
     *
     * @param lockName a lock that is held
     * @throws IllegalStateException if the code under test does not hold it
     */
    public void expire(String lockName) {
        end(lockName, lease -> lease.isRenewed() ? LossCause.UNCONFIRMED : LossCause.EXPIRED);
    }

    private void end(String lockName, Function<HeldLease, LossCause> cause) {
        standstill.testThread();
        List<HeldLease> leases = app.leases()
                .filter(lease -> several.covers(lease.lockName(), lockName))
                .toList();
        if (leases.isEmpty()) {
            throw new IllegalStateException("Lock '" + lockName + "' is not held by the code under test. " + report());
        }
        several.of(leases.get(0).lockName()).forEach(elsewhere.client()::forceRelease);
        leases.forEach(lease -> lease.lose(cause.apply(lease)));
        settle();
    }

    /**
     * Holds a lock as another instance would. The lease is renewed until {@link OtherHolder#release} is called.
     *
     * @throws IllegalStateException if the lock is already held
     */
    public OtherHolder holdElsewhere(String lockName) {
        return holdElsewhere(getLock(lockName), AcquireOptions.defaults());
    }

    /**
     * Holds a lock as another instance would, for a given time on this client's clock.
     *
     * @throws IllegalStateException if the lock is already held
     */
    public OtherHolder holdElsewhere(String lockName, Duration lease) {
        return holdElsewhere(getLock(lockName), AcquireOptions.defaults().lease(lease));
    }

    /**
     * Holds a lock of any kind, or one permit of a semaphore, as another instance would.
     *
     * @param lock the lock as the code under test gets it, such as {@code locks.getSemaphore("exports", 3)}
     * @throws IllegalStateException if the lock is not free
     */
    public OtherHolder holdElsewhere(LeaseSource lock) {
        return holdElsewhere(lock, AcquireOptions.defaults());
    }

    /** Holds a lock of any kind, or one permit of a semaphore, as another instance would with these options. */
    public OtherHolder holdElsewhere(LeaseSource lock, AcquireOptions options) {
        standstill.testThread();
        return others.hold(lock, options);
    }

    /** Makes the lock busy for the next acquisition, which waits for its whole wait time and is refused. Later acquisitions find the lock free. */
    public void nextAcquisitionIsBusy(String lockName) {
        standstill.testThread();
        busyOnce.plan(lockName);
    }

    /** Makes Redis unavailable. Every command fails until {@link #makeAvailable} is called. */
    public void makeUnavailable() {
        standstill.testThread();
        app.traffic().unavailable(true);
        pacemaker.look();
    }

    /** Ends the effects of {@link #makeUnavailable} and {@link #answerAfter}. */
    public void makeAvailable() {
        standstill.testThread();
        app.traffic().heal();
        settle();
    }

    /**
     * Delays every answer of Redis by this time on this client's clock, until {@link #makeAvailable} is called. If the delay is at least the client's
     * command timeout, the answer never arrives.
     *
     * @param time the delay; zero for none
     */
    public void answerAfter(Duration time) {
        standstill.testThread();
        app.traffic().delay(time);
        pacemaker.look();
    }

    /**
     * Waits, in real time, until the given number of callers wait for a lock and each of them has its place. Use it in tests of an order: start one
     * caller, call this method, and then start the next caller.
     *
     * @throws AssertionError if there are fewer after some seconds
     */
    public void awaitWaiters(String lockName, int waiters) {
        standstill.testThread();
        if (!standstill.awaitWaiters(name -> several.covers(name, lockName), waiters)) {
            throw new AssertionError("Fewer than " + waiters + " wait for lock '" + lockName + "'. " + report());
        }
        settle();
    }

    /** Adds the test's note to the history, for example that a mock was called. */
    public void note(String text) {
        app.awaitListeners();
        history.note(text);
    }

    /** Returns the history of the locks since this client was created or {@linkplain #reset() reset}. */
    public LockHistory history() {
        settle();
        return history;
    }

    /**
     * Resets the client for a new test: releases all locks, ends all waits and clears the history. Locks of Spring's scheduled methods and of leaders
     * stay.
     *
     * @return what the last test left held or waiting, and its waits that would never have ended; empty if there was nothing
     */
    public List<String> reset() {
        standstill.testThread();
        settle();
        List<String> left = new ArrayList<>(pacemaker.takeEndlessWaits());
        left.addAll(HoldReport.leftForGood(app.client()));
        standstill.declared(false);
        busyOnce.clear();
        endTrouble();
        others.releaseAll();
        new FreshStart(app, server, several, standstill, this::settle).freeAll();
        history.clear();
        return List.copyOf(left);
    }

    /**
     * Ends the faults, and completes the commands that wait for an answer or for a repetition. Otherwise, closing would wait for them in real time.
     */
    private void endTrouble() {
        app.traffic().heal();
        if (app.traffic().takeTrouble()) {
            clock.advance(app.traffic().patience().multipliedBy(5), delivery::awaitIdle);
        }
    }

    /** Waits until all messages, events and callbacks that are in transit have arrived. */
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
        blocked.close();
        busyOnce.clear();
        endTrouble();
        others.releaseAll();
        app.client().close(grace);
        elsewhere.client().close();
    }
}
