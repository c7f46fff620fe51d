package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A lease over several leases, held while enough of them are. The client that granted a part renews it and ends it when its time is over. When too
 * few parts are left the lease is lost, once, and the rest is released.
 */
final class CompositeLease extends AbstractLease {

    private static final LockLog LOG = LockLog.LOG;

    /** The longest that a client waits for a command by default. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A late one may be added. */
    private final List<AbstractLease> parts;

    private final CompositeLock lock;

    private final int needed;
    private final boolean renewed;

    CompositeLease(CompositeAcquisition acquisition, Collection<AbstractLease> parts, int needed, long fencingToken) {
        super(
                acquisition.lock.name(),
                fencingToken,
                acquisition.lock.background.nanoTime(),
                acquisition.options.minHold().toNanos(),
                acquisition.interruptedOnLoss);
        this.lock = acquisition.lock;
        this.parts = new CopyOnWriteArrayList<>(parts);
        this.needed = needed;
        this.renewed = acquisition.options.isRenewed();
    }

    /** Watches the parts from now on. Not in the constructor, which must not pass {@code this} on. */
    CompositeLease watched() {
        parts.forEach(this::watch);
        return this;
    }

    private void watch(AbstractLease part) {
        part.loss().thenAccept(loss -> lock.steps.run(() -> partLost(loss)));
    }

    /** Adds a part that was granted late: a lease that has enough without it can afford to lose another one. */
    void join(AbstractLease late) {
        parts.add(late);
        if (isLive()) {
            watch(late);
        } else {
            MemberReleases.of(List.of(late), keepNanos());
        }
    }

    private void partLost(LeaseLoss lost) {
        if (!areEnough()) {
            lose(lost);
        }
    }

    private void lose(LeaseLoss lost) {
        if (endAsLost(() -> reportLoss(lost))) {
            MemberReleases.of(parts, keepNanos());
        }
    }

    /** Ends the lease by the loss of a part. A part that is not held knows why; its report may still be on its way. */
    private void loseByPart() {
        for (AbstractLease part : parts) {
            try {
                part.assertHeld();
            } catch (IllegalMonitorStateException gone) {
                if (gone instanceof LeaseLostException lost) {
                    lose(lost.loss());
                    return;
                }
            }
        }
    }

    private void reportLoss(LeaseLoss lost) {
        String cause = "of " + parts.size() + " parts, " + needed + " of which are needed, '" + lost.lockName()
                + "' was lost, " + lost.cause().description();
        LeaseLoss whole = new LeaseLoss(
                lockName(), LockKind.REENTRANT, fencingToken(), lost.cause(), held(), lost.sinceConfirmed(), cause);
        if (report(whole)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lost the lease on lock '" + LogText.escape(lockName()) + "' (token " + fencingToken() + ") after "
                            + LogText.time(whole.held()) + ": " + LogText.escape(cause));
        }
    }

    /** The rest of the minimum hold. */
    private long keepNanos() {
        return Math.max(0, minHoldEnd() - now());
    }

    private boolean areEnough() {
        return parts.stream().filter(AbstractLease::isHeld).count() >= needed;
    }

    @Override
    protected long now() {
        return lock.background.nanoTime();
    }

    @Override
    public boolean isHeld() {
        return isLive() && areEnough();
    }

    /** How long as many parts as are needed stay valid. */
    @Override
    public Duration remaining() {
        List<Duration> longestFirst = parts.stream()
                .map(AbstractLease::remaining)
                .sorted(Comparator.reverseOrder())
                .toList();
        return isLive() ? longestFirst.get(needed - 1) : Duration.ZERO;
    }

    /** Whether the parts' clients renew it. */
    boolean isRenewed() {
        return renewed;
    }

    @Override
    public boolean verify() {
        return isHeld() && areConfirmed(false, AbstractLease::verify) && isHeld();
    }

    @Override
    public void extend(Duration lease) {
        Duration length = AcquireOptions.checkLease("lease", lease);
        assertHeld();
        if (!areConfirmed(true, part -> changed(() -> part.extend(length)))) {
            throw notHeld();
        }
    }

    @Override
    public void maxHold(Duration maxHold) {
        AcquireOptions checked = AcquireOptions.defaults().maxHold(maxHold);
        assertHeld();
        checked.givenMaxHold().ifPresent(limit -> parts.forEach(part -> changed(() -> part.maxHold(limit))));
    }

    /** Whether the part was still held. The others decide whether the whole is. */
    private static boolean changed(Runnable change) {
        try {
            change.run();
            return true;
        } catch (IllegalMonitorStateException gone) {
            return false;
        }
    }

    /** Whether enough parts say yes. If they cannot any more, the lease is lost; else the outcome is unknown. */
    private boolean areConfirmed(boolean all, Predicate<AbstractLease> question) {
        boolean enough = lock.areEnough(List.copyOf(parts), needed, all, question);
        if (!enough) {
            loseByPart();
        }
        return enough;
    }

    @Override
    protected Executor callbacks() {
        return lock.callbacks();
    }

    @Override
    protected Background background() {
        return lock.background;
    }

    @Override
    public long releasePatienceNanos() {
        return RELEASE_TIMEOUT_NANOS;
    }

    @Override
    protected CompletableFuture<Void> release() {
        if (!askRelease()) {
            return released();
        }
        if (!endAsReleased()) {
            awaitReportOfLoss();
            released().completeExceptionally(notHeld());
            return released();
        }
        MemberReleases releases = MemberReleases.of(parts, keepNanos());
        releases.enough(needed).whenComplete((done, failure) -> {
            if (failure == null) {
                released().complete(null);
            } else {
                List<Throwable> failures = releases.failures();
                failures.stream()
                        .filter(LeaseLostException.class::isInstance)
                        .findFirst()
                        .ifPresent(lost -> reportLoss(((LeaseLostException) lost).loss()));
                RuntimeException whole = notHeld();
                failures.forEach(whole::addSuppressed);
                released().completeExceptionally(whole);
            }
        });
        return released();
    }

    @Override
    protected IllegalMonitorStateException notHeld() {
        if (isLive()) {
            // Too few parts are held.
            loseByPart();
        }
        return super.notHeld();
    }

    /** Publishes that it was acquired, and later its release or its loss, whichever it ends by. */
    void publish(Duration waited) {
        lock.tell(new LockEvent.Acquired(lockName(), LockKind.REENTRANT, fencingToken(), waited, false));
        released()
                .thenRun(() -> lock.tell(
                        new LockEvent.Released(lockName(), LockKind.REENTRANT, fencingToken(), held(), false)));
        loss().thenAccept(lock::tell);
    }
}
