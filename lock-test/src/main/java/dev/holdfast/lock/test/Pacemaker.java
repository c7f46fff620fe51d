package dev.holdfast.lock.test;

import dev.holdfast.lock.WaitingLock;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves the clock where nobody else can. A thread that waits for a lock, or for an answer of Redis, stands still, and so does the clock. If every
 * thread that could end the wait stands still as well, only time can: then the clock goes on to the next thing that is planned.
 *
 * <p>Those threads are the test's own and those that hold a lock. While one of them works or sleeps, time is not moved: it may be about to release.
 * A thread that waits inside a lock's method waits for time or for a lock, which is certain. One that waits elsewhere may be waiting for somebody
 * who works, so it must have been waiting for a while.
 */
final class Pacemaker {

    private static final long LOOK_EVERY_MILLIS = 1;
    private static final int QUIET_LOOKS = 100;
    private static final int QUIET_LOOKS_IN_A_CALL = 20;
    private static final int QUIET_LOOKS_OF_A_HOLDER = 2_000;
    private static final int JUMPS_BETWEEN_LOOKS = 1_000;
    private static final int LOOKS_AFTER_A_CALL = 100;

    /** Longer than every lease: a wait that has not ended by then never ends. */
    private static final Duration LONGER_THAN_A_LEASE = Duration.ofHours(25);

    /** Where no lease runs out, only the wait itself can end. */
    private static final Duration LONGER_THAN_A_WAIT = Duration.ofHours(3);

    private final VirtualClock clock;
    private final Instance app;
    private final Instance elsewhere;
    private final Runnable settle;
    private final Supplier<String> report;
    private final Set<Thread> askers = Collections.newSetFromMap(new WeakHashMap<>());
    private final List<String> endlessWaits = new ArrayList<>();

    private volatile Thread testThread = Thread.currentThread();
    private @Nullable Thread thread;
    private boolean closed;
    private int looks;
    /** Looks in a row that saw no change. Not a time: a process that stands still is no sign that everybody waits. */
    private int quiet;

    private long lastState;
    private Duration jumped = Duration.ZERO;
    private String reportBefore = "";

    Pacemaker(VirtualClock clock, Instance app, Instance elsewhere, Runnable settle, Supplier<String> report) {
        this.clock = clock;
        this.app = app;
        this.elsewhere = elsewhere;
        this.settle = settle;
        this.report = report;
    }

    /** The calling thread is the test's. */
    void testThread() {
        testThread = Thread.currentThread();
    }

    /** The calling thread asks for a lock, or may have to wait from now on. */
    synchronized void look() {
        askers.add(Thread.currentThread());
        looks = LOOKS_AFTER_A_CALL;
        if (thread == null && !closed) {
            thread = new Thread(this::run, "holdfast-test-clock");
            thread.setDaemon(true);
            thread.start();
        }
    }

    synchronized void close() {
        closed = true;
        looks = 0;
    }

    List<String> takeEndlessWaits() {
        synchronized (endlessWaits) {
            List<String> taken = List.copyOf(endlessWaits);
            endlessWaits.clear();
            return taken;
        }
    }

    private void run() {
        while (goesOn()) {
            try {
                if (isStuck()) {
                    moveOn();
                } else {
                    Thread.sleep(LOOK_EVERY_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private synchronized boolean goesOn() {
        boolean waits = app.isAwaited() || app.traffic().isTroubled();
        looks = closed ? 0 : waits ? LOOKS_AFTER_A_CALL : looks - 1;
        if (looks <= 0) {
            thread = null;
        }
        return looks > 0;
    }

    /** Goes on to the next planned task, and ends waits that time cannot end. */
    private void moveOn() throws InterruptedException {
        if (jumped.isZero()) {
            reportBefore = report.get();
        }
        Duration before = clock.passed();
        boolean ran = true;
        // As long as nothing comes of it, everybody stands still.
        long state = app.state();
        for (int i = 0; ran && i < JUMPS_BETWEEN_LOOKS && app.state() == state; i++) {
            ran = clock.jump(settle);
        }
        jumped = jumped.plus(clock.passed().minus(before));
        if (!ran || jumped.compareTo(longest()) > 0) {
            endWaits();
        }
    }

    private Duration longest() {
        boolean someRunOut = Stream.concat(app.leases(), elsewhere.leases()).anyMatch(lease -> !lease.isRenewed());
        return someRunOut ? LONGER_THAN_A_LEASE : LONGER_THAN_A_WAIT;
    }

    private void endWaits() throws InterruptedException {
        if (app.client().statistics().waiting() == 0) {
            Thread.sleep(LOOK_EVERY_MILLIS);
            return;
        }
        synchronized (endlessWaits) {
            endlessWaits.add(reportBefore);
        }
        app.traffic().refuse("is in memory, and this wait would never end: " + reportBefore);
        try {
            for (int i = 0; i < 1_000 && app.client().statistics().waiting() > 0; i++) {
                clock.jump(settle);
            }
        } finally {
            app.traffic().refuse(null);
        }
        jumped = Duration.ZERO;
    }

    private boolean isStuck() {
        long state = app.state();
        quiet = state == lastState ? quiet + 1 : 0;
        lastState = state;
        boolean certain = true;
        boolean parked = false;
        boolean holderElsewhere = false;
        Set<Thread> holders = holders();
        for (Thread party : parties(holders)) {
            switch (Stance.of(party)) {
                case WORKS -> {
                    return notStuck();
                }
                case WAITS_FOR_LOCK -> {
                    parked = true;
                    // It may have been woken just now, and only not run yet.
                    certain &= isWaiting(party) || (app.traffic().isTroubled() && quiet >= QUIET_LOOKS_IN_A_CALL);
                }
                case WAITS -> {
                    certain = false;
                    holderElsewhere |= holders.contains(party);
                }
                case HAS_ENDED -> {}
            }
        }
        if (certain && parked) {
            return true;
        }
        if (!app.isAwaited() && !parked) {
            return notStuck();
        }
        // Once the clock has been moved, it goes on until something happens.
        return quiet >= (holderElsewhere ? QUIET_LOOKS_OF_A_HOLDER : QUIET_LOOKS) && allWaitersWait();
    }

    /** A thread that has only begun to ask is no party yet. */
    private boolean allWaitersWait() {
        Set<String> waiters =
                app.client().waitingLocks().stream().map(WaitingLock::thread).collect(Collectors.toSet());
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> waiters.contains(thread.getName()))
                .noneMatch(thread -> Stance.of(thread) == Stance.WORKS);
    }

    private boolean isWaiting(Thread thread) {
        return app.client().waitingLocks().stream()
                .anyMatch(waiting -> waiting.thread().equals(thread.getName()));
    }

    private boolean notStuck() {
        quiet = 0;
        jumped = Duration.ZERO;
        return false;
    }

    private Set<Thread> holders() {
        return app.leases().map(lease -> lease.terms().thread()).collect(Collectors.toSet());
    }

    private synchronized Set<Thread> parties(Set<Thread> holders) {
        if (!app.isAwaited()) {
            askers.removeIf(asker -> Stance.of(asker) != Stance.WAITS_FOR_LOCK);
        }
        Set<Thread> parties = new HashSet<>(askers);
        parties.add(testThread);
        parties.addAll(holders);
        // Its own threads do what the clock tells them.
        parties.removeIf(party -> party.getName().startsWith("holdfast-"));
        return parties;
    }

    /** What a thread does, seen from outside. */
    private enum Stance {
        WORKS,
        WAITS,
        WAITS_FOR_LOCK,
        HAS_ENDED;

        private static final List<String> LOCKS =
                List.of("dev.holdfast.lock.internal.", "dev.holdfast.lock.redis.", "dev.holdfast.lock.composite.");

        static Stance of(Thread thread) {
            State state = thread.getState();
            if (state == State.TERMINATED) {
                return HAS_ENDED;
            }
            if (state != State.WAITING && state != State.TIMED_WAITING) {
                return WORKS;
            }
            for (StackTraceElement frame : thread.getStackTrace()) {
                String type = frame.getClassName();
                if (type.equals("java.lang.Thread") && frame.getMethodName().startsWith("sleep")) {
                    return WORKS;
                }
                if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
                    return LOCKS.stream().anyMatch(type::startsWith) ? WAITS_FOR_LOCK : WAITS;
                }
            }
            return WAITS;
        }
    }
}
