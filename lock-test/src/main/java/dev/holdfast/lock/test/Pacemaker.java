package dev.holdfast.lock.test;

import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.WaitingLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves the clock to the next planned task as long as {@link Standstill} is certain that only time can end the waits. Otherwise, the clock stands
 * still. A wait then continues until the lock is released, or fails after some seconds with a message that explains what the test can do.
 */
final class Pacemaker implements LockListener {

    private static final long LOOK_EVERY_MILLIS = 1;
    private static final int LOOKS_AFTER_A_CALL = 100;

    /** A limit for the number of checks, not for a time, so that a suspended process uses up none of them. */
    private static final int LOOKS_WITHOUT_PROGRESS = 5_000;

    /** A time that is longer than every lease. A wait that has not ended by then never ends. */
    private static final Duration LONGER_THAN_A_LEASE = Duration.ofHours(25);

    /** The limit if no lease can expire. Then only a wait's own time limit can end it. */
    private static final Duration LONGER_THAN_A_WAIT = Duration.ofHours(3);

    private static final String HOW_TO_GO_ON =
            ". If that thread is to end the wait, it took too long. If time is to end it, say so:"
                    + " call locks.advance(Duration.ofSeconds(…)) on a thread that does not wait, or locks.autoAdvance() at the start of the test. ";

    private final VirtualClock clock;
    private final Instance app;
    private final Instance elsewhere;
    private final Standstill standstill;
    private final BlockedCallers blocked;
    private final Supplier<String> report;
    private final Runnable settle;
    private final Runnable wakeWaiters;
    private final List<String> endlessWaits = new ArrayList<>();

    private @Nullable Thread thread;
    private boolean closed;
    private int looksLeft;

    private final Set<String> progress = ConcurrentHashMap.newKeySet();
    /** For each awaited lock, the number of checks since the last progress. Used only by the clock's thread. */
    private final Map<String, Integer> patience = new HashMap<>();

    private long lastState;
    private Duration jumped = Duration.ZERO;
    private String reportBefore = "";

    Pacemaker(
            VirtualClock clock,
            Instance app,
            Instance elsewhere,
            Standstill standstill,
            BlockedCallers blocked,
            Runnable settle,
            Runnable wakeWaiters,
            Supplier<String> report) {
        this.clock = clock;
        this.app = app;
        this.elsewhere = elsewhere;
        this.standstill = standstill;
        this.blocked = blocked;
        this.settle = settle;
        this.wakeWaiters = wakeWaiters;
        this.report = report;
    }

    /** Starts the checks, because a caller may have to wait from now on. */
    synchronized void look() {
        looksLeft = LOOKS_AFTER_A_CALL;
        if (thread == null && !closed) {
            thread = new Thread(this::run, "holdfast-test-clock");
            thread.setDaemon(true);
            thread.start();
        }
    }

    synchronized void close() {
        closed = true;
    }

    List<String> takeEndlessWaits() {
        synchronized (endlessWaits) {
            List<String> taken = List.copyOf(endlessWaits);
            endlessWaits.clear();
            return taken;
        }
    }

    @Override
    public void onEvent(LockEvent event) {
        progress.add(event.lockName());
    }

    private void run() {
        try {
            while (goesOn()) {
                String obstacle = isAwaited() ? moveOn() : "nobody waits";
                if (obstacle != null) {
                    failWithoutProgress(obstacle);
                    Thread.sleep(LOOK_EVERY_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            // The interrupt ends this thread, to which no other code has access.
        }
    }

    private boolean isAwaited() {
        return app.isAwaited() || !blocked.areNone();
    }

    private synchronized boolean goesOn() {
        looksLeft = closed ? 0 : isAwaited() ? LOOKS_AFTER_A_CALL : looksLeft - 1;
        if (looksLeft <= 0) {
            thread = null;
        }
        return looksLeft > 0;
    }

    /** Moves the clock to the next planned task. Returns the reason why it must not move the clock; null if it moved the clock or ended the waits. */
    private @Nullable String moveOn() throws InterruptedException {
        String obstacle = standstill.obstacle();
        if (obstacle == null) {
            // Messages and events in transit may end a wait, and no thread controls them.
            settle.run();
            obstacle = app.awaitListeners() ? standstill.obstacle() : "a listener is running";
        }
        if (obstacle != null) {
            return obstacle;
        }
        long state = app.state();
        if (state != lastState || jumped.isZero()) {
            lastState = state;
            jumped = Duration.ZERO;
            reportBefore = report.get();
        }
        Duration before = clock.passed();
        switch (clock.jump(standstill::isInside, settle)) {
            case REFUSED -> {
                return "a thread is inside a method of a lock";
            }
            case NOTHING_PLANNED -> endWaits("this wait would never end: " + reportBefore);
            case DONE -> {
                jumped = jumped.plus(clock.passed().minus(before));
                if (jumped.compareTo(longest()) > 0) {
                    endWaits("this wait would never end: " + reportBefore);
                }
            }
        }
        return null;
    }

    private Duration longest() {
        boolean someRunOut = Stream.concat(app.leases(), elsewhere.leases()).anyMatch(lease -> !lease.isRenewed());
        return someRunOut ? LONGER_THAN_A_LEASE : LONGER_THAN_A_WAIT;
    }

    private void failWithoutProgress(String obstacle) throws InterruptedException {
        Set<String> awaited = new HashSet<>();
        app.client().waitingLocks().stream().map(WaitingLock::lockName).forEach(awaited::add);
        if (app.traffic().hasLateAnswers()) {
            awaited.add("");
        }
        patience.keySet().retainAll(awaited);
        for (String name : awaited) {
            int looks = progress.remove(name) ? 0 : patience.getOrDefault(name, 0) + 1;
            if (looks >= LOOKS_WITHOUT_PROGRESS && isTheTests(name)) {
                endWaits("the clock stands still, because " + obstacle + HOW_TO_GO_ON + report.get());
                return;
            }
            patience.put(name, looks % LOOKS_WITHOUT_PROGRESS);
        }
    }

    private boolean isTheTests(String lockName) {
        return lockName.isEmpty()
                || app.client().waitingLocks().stream()
                        .filter(waiting -> waiting.lockName().equals(lockName))
                        .anyMatch(waiting -> !RunsBesideTests.contain(waiting));
    }

    /** Fails all waits. The test fails even if its code catches the exception. */
    private void endWaits(String why) throws InterruptedException {
        patience.clear();
        jumped = Duration.ZERO;
        if (!app.isAwaited()) {
            // No caller waits for a lock or an answer. A thread blocks in a release, which ends by itself.
            Thread.sleep(LOOK_EVERY_MILLIS);
            return;
        }
        synchronized (endlessWaits) {
            endlessWaits.add(why);
        }
        app.traffic().refuse("is in memory, and " + why);
        try {
            wakeWaiters.run();
            settle.run();
            // If a waiter's holder belongs to the same client, the waiter asks a little later.
            for (int i = 0; i < 1_000 && app.isAwaited(); i++) {
                clock.jump(thread -> false, settle);
            }
        } finally {
            app.traffic().refuse(null);
        }
    }
}
