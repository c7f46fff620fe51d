package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseGuard;
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
import org.jspecify.annotations.Nullable;

/**
 * A lease that combines the leases of several members, called its parts. It is held while enough of its parts are held. The client that granted a
 * part renews that part and ends it when its time is over. When too few parts are left, this lease is lost, once, and the remaining parts are
 * released.
 */
final class CompositeLease extends AbstractLease {

    private static final LockLog LOG = LockLog.LOG;

    /** The leases of the members. A lease that was granted late may be added. */
    private final List<AbstractLease> parts;

    private final Members lock;

    private final int needed;
    private final boolean renewed;
    /** When the maximum hold is over. */
    private volatile long holdEnd = Long.MAX_VALUE;

    CompositeLease(
            Members lock,
            AcquireOptions options,
            @Nullable Thread interruptedOnLoss,
            Collection<AbstractLease> parts,
            int needed,
            long fencingToken) {
        super(
                lock.name,
                fencingToken,
                lock.background.nanoTime(),
                options.minHold().toNanos(),
                interruptedOnLoss);
        this.lock = lock;
        this.parts = new CopyOnWriteArrayList<>(parts);
        this.needed = needed;
        this.renewed = options.isRenewed();
        options.givenMaxHold().ifPresent(this::endHoldAfter);
    }

    /** Starts to watch the parts. Not done in the constructor, because a constructor must not publish {@code this}. */
    CompositeLease watched() {
        parts.forEach(this::watch);
        return this;
    }

    private void watch(AbstractLease part) {
        part.loss().thenAccept(loss -> lock.run(() -> partLost(loss)));
        part.stop().thenRun(this::requestStop);
    }

    /**
     * Adds a part that was granted late. The whole lease can then survive the loss of one more part. The parts before it must be enough: otherwise
     * another holder may have had the lock meanwhile.
     *
     * @param lost the lost part that this one replaces, or null
     * @return whether the part was added, and is not released
     */
    boolean join(@Nullable AbstractLease lost, AbstractLease late) {
        boolean wasEnough = areEnough();
        if (wasEnough) {
            parts.add(late);
            if (lost != null) {
                parts.remove(lost);
            }
            limit(late);
        }
        if (wasEnough && isLive()) {
            watch(late);
            return true;
        }
        MemberReleases.of(List.of(late), keepNanos());
        return false;
    }

    /** Runs an action when the lease is released or lost. */
    void whenEnded(Runnable action) {
        released().whenComplete((done, failure) -> action.run());
        loss().thenRun(action);
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

    /**
     * Ends the lease because of a lost part. The report of that part's loss may not have arrived yet, so this method asks each part itself.
     *
     * @param asked the parts that were found to be too few, some of which may have been replaced meanwhile
     */
    private void loseByPart(List<AbstractLease> asked) {
        for (AbstractLease part : asked) {
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

    /** Returns the rest of the minimum hold time. */
    long keepNanos() {
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

    /** Returns how long the needed number of parts stays valid. */
    @Override
    public Duration remaining() {
        List<Duration> longestFirst = parts.stream()
                .map(AbstractLease::remaining)
                .sorted(Comparator.reverseOrder())
                .toList();
        return isLive() ? longestFirst.get(needed - 1) : Duration.ZERO;
    }

    /** Returns whether the parts are renewed by their clients. */
    boolean isRenewed() {
        return renewed;
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    public LeaseGuard guard() {
        throw new IllegalStateException("Lock '" + LogText.escape(lockName()) + "' consists of " + parts.size()
                + " locks that Redis cannot check in one step. Use names with one hash tag, such as {orders}:a and"
                + " {orders}:b, or the guard of a lock that is on the server of the data");
    }

    @Override
    public boolean verify() {
        return isHeld() && areConfirmed(false, AbstractLease::verify) && isHeld();
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return MemberReleases.enough(
                parts.stream()
                        .filter(AbstractLease::isHeld)
                        .map(AbstractLease::confirm)
                        .toList(),
                needed);
    }

    @Override
    public void checkMinHold(long nanos) {
        parts.forEach(part -> part.checkMinHold(nanos));
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
        checked.givenMaxHold().ifPresent(limit -> {
            endHoldAfter(limit);
            parts.forEach(part -> changed(() -> part.maxHold(limit)));
        });
    }

    /** Gives a part that joins the maximum hold. A change of the maximum at the same moment may find the part before this call limits it. */
    private void limit(AbstractLease part) {
        long end;
        do {
            end = holdEnd;
            if (end < Long.MAX_VALUE) {
                Duration left = Duration.ofNanos(Math.max(1, end - now()));
                changed(() -> part.maxHold(left));
            }
        } while (end != holdEnd);
    }

    private synchronized void endHoldAfter(Duration limit) {
        long left = TimeUnit.NANOSECONDS.convert(limit);
        holdEnd = now() + Math.min(left, Long.MAX_VALUE / 2);
    }

    /** Applies a change to a part. Returns false, and does not throw, if the part is lost: the other parts may be enough for the whole lease. */
    private static boolean changed(Runnable change) {
        try {
            change.run();
            return true;
        } catch (IllegalMonitorStateException gone) {
            return false;
        }
    }

    /**
     * Returns whether enough parts confirm. If enough parts can no longer confirm, the lease becomes lost. If too many parts did not answer, the
     * result is unknown and an exception is thrown.
     */
    private boolean areConfirmed(boolean all, Predicate<AbstractLease> condition) {
        List<AbstractLease> asked = List.copyOf(parts);
        boolean enough = lock.areEnough(asked, needed, all, condition);
        if (!enough) {
            loseByPart(asked);
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
        return parts.stream()
                .mapToLong(AbstractLease::releasePatienceNanos)
                .max()
                .orElse(0);
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
            // The lease is not held although it has not ended: too few parts are held.
            loseByPart(parts);
        }
        return super.notHeld();
    }

    /** Publishes the acquisition. Publishes the release or the loss later, whichever ends the lease. */
    void publish(Duration waited) {
        lock.tell(new LockEvent.Acquired(lockName(), LockKind.REENTRANT, fencingToken(), waited, false));
        released()
                .thenRun(() -> lock.tell(
                        new LockEvent.Released(lockName(), LockKind.REENTRANT, fencingToken(), held(), false)));
        loss().thenAccept(lock::tell);
    }
}
