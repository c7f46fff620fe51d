package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.log.LockLog;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import dev.holdfast.lock.internal.thread.LossInterrupt;
import dev.holdfast.lock.internal.thread.MemberLease;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease over several leases, held while enough of them are. Each of them is renewed, and ended when its time is over, by the client that gave
 * it; here is only counted. When too few are left it is lost, once, and what is left of it is given back.
 */
final class CompositeLease implements MemberLease {

    private enum Phase {
        HELD,
        RELEASED,
        LOST
    }

    private static final LockLog LOG = LockLog.LOG;

    /** The longest that a client waits for a command by default. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final String lockName;
    private final LeaseParts parts;
    private final long fencingToken;
    private final long since;
    private final long minHoldNanos;
    private final boolean renewed;
    private final LossInterrupt lossInterrupt;
    private final Executor callbacks;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.HELD);
    private final AtomicBoolean releaseAsked = new AtomicBoolean();
    private final CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    CompositeLease(
            String lockName,
            List<Lease> members,
            int needed,
            long fencingToken,
            AcquireOptions options,
            @Nullable Thread interruptedOnLoss,
            Executor callbacks) {
        this.lockName = lockName;
        this.parts = new LeaseParts(members, needed);
        this.fencingToken = fencingToken;
        this.since = System.nanoTime();
        this.minHoldNanos = options.minHold().toNanos();
        this.renewed = options.isRenewed();
        this.lossInterrupt = new LossInterrupt(interruptedOnLoss);
        this.callbacks = callbacks;
    }

    /** From now on a loss is told. Apart from the constructor, which must not give itself away. */
    CompositeLease watched() {
        parts.whenLost(this::partLost);
        return this;
    }

    /** One more, that came late: what has enough without it can afford to lose another. */
    void join(Lease late) {
        parts.add(late);
        if (phase.get() == Phase.HELD) {
            LeaseParts.whenLost(late, this::partLost);
        } else {
            MemberReleases.of(List.of(late), keepNanos());
        }
    }

    private void partLost(LeaseLoss lost) {
        if (!parts.areEnough() && phase.compareAndSet(Phase.HELD, Phase.LOST)) {
            lose(lost);
        }
    }

    private void lose(LeaseLoss lost) {
        try {
            lossInterrupt.send();
        } finally {
            announce(lost);
        }
        parts.giveBack(keepNanos());
    }

    /** What is left of the minimum hold. */
    private long keepNanos() {
        return Math.max(0, minHoldNanos - (System.nanoTime() - since));
    }

    private void announce(LeaseLoss lost) {
        String cause = "of " + parts.count() + " parts, " + parts.needed() + " of which are needed, '" + lost.lockName()
                + "' was lost, " + lost.cause().description();
        LeaseLoss whole = new LeaseLoss(
                lockName,
                LockKind.REENTRANT,
                fencingToken,
                lost.cause(),
                Duration.ofNanos(System.nanoTime() - since),
                lost.sinceConfirmed(),
                cause);
        if (loss.complete(whole)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lost the lease on lock '" + LogText.escape(lockName) + "' (token " + fencingToken + ") after "
                            + LogText.time(whole.held()) + ": " + LogText.escape(cause));
        }
    }

    @Override
    public String lockName() {
        return lockName;
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public boolean isHeld() {
        return phase.get() == Phase.HELD && parts.areEnough();
    }

    @Override
    public void assertHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    @Override
    public Duration remaining() {
        return phase.get() == Phase.HELD ? parts.remaining() : Duration.ZERO;
    }

    @Override
    public boolean verify() {
        if (!isHeld()) {
            return false;
        }
        Confirmations confirmations = parts.verify();
        if (confirmations.areEnough()) {
            return isHeld();
        }
        if (!confirmations.areInVain()) {
            throw confirmations.unavailable(lockName);
        }
        loseTo(LossCause.GONE);
        return false;
    }

    @Override
    public void extend(Duration lease) {
        Duration length = AcquireOptions.checkLease("lease", lease);
        if (!isHeld()) {
            throw notHeld();
        }
        Confirmations confirmations = parts.extend(length);
        if (!confirmations.areEnough()) {
            if (!confirmations.areInVain()) {
                throw confirmations.unavailable(lockName);
            }
            loseTo(LossCause.GONE);
            throw notHeld();
        }
    }

    /** A member that was asked knows; its own word of the loss may still be on its way. */
    private void loseTo(LossCause cause) {
        if (phase.compareAndSet(Phase.HELD, Phase.LOST)) {
            lose(new LeaseLoss(lockName, fencingToken, cause, Duration.ZERO, Duration.ZERO));
        }
    }

    @Override
    public void onLost(Consumer<LeaseLoss> callback) {
        loss.thenAccept(lost -> callbacks.execute(() -> {
            try {
                callback.accept(lost);
            } catch (Throwable thrown) {
                LOG.log(System.Logger.Level.WARNING, "A callback threw; the locks are not affected", thrown);
            }
        }));
    }

    @Override
    public CompletableFuture<LeaseLoss> loss() {
        return loss;
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        return CallbackThreads.view(releaseAsMember(), callbacks);
    }

    @Override
    public CompletableFuture<Void> releaseAsMember(long keepNanos) {
        release(keepNanos);
        return released;
    }

    CompletableFuture<Void> releaseAsMember() {
        return releaseAsMember(keepNanos());
    }

    private void release(long keepNanos) {
        if (!releaseAsked.compareAndSet(false, true)) {
            return;
        }
        if (!phase.compareAndSet(Phase.HELD, Phase.RELEASED)) {
            awaitReportOfLoss();
            released.completeExceptionally(notHeld());
            return;
        }
        MemberReleases answers = parts.giveBack(keepNanos);
        answers.enough(parts.needed()).whenComplete((done, failure) -> {
            if (failure == null) {
                released.complete(null);
            } else {
                answers.firstLoss().ifPresent(this::announce);
                RuntimeException told = loss.isDone() ? new LeaseLostException(loss.join()) : notHeld();
                answers.failures().forEach(told::addSuppressed);
                released.completeExceptionally(told);
            }
        });
    }

    /** Nobody leaves a lost lease while its interrupt may still come. */
    private void awaitReportOfLoss() {
        if (phase.get() == Phase.LOST) {
            loss.join();
            lossInterrupt.takeBack();
        }
    }

    @Override
    public void close() {
        if (releaseAsked.get()) {
            awaitReportOfLoss();
            return;
        }
        release(keepNanos());
        try {
            UninterruptibleWait.get(released, PATIENCE_NANOS);
        } catch (TimeoutException e) {
            // Each member's client repeats it until it is done.
        } catch (ExecutionException e) {
            RuntimeException told = notHeld();
            for (Throwable part :
                    e.getCause() == null ? new Throwable[0] : e.getCause().getSuppressed()) {
                told.addSuppressed(part);
            }
            throw told;
        }
    }

    /** Why a call that needs the lease cannot have it. */
    IllegalMonitorStateException notHeld() {
        if (phase.get() == Phase.HELD) {
            awaitWordOfLoss();
        }
        LeaseLoss lost = phase.get() == Phase.LOST ? loss.join() : loss.getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName) + "' was already released");
    }

    /** Too few members are held: they know it already, and why; their word of it is on its way here. */
    private void awaitWordOfLoss() {
        try {
            UninterruptibleWait.get(loss, WORD_NANOS);
        } catch (TimeoutException | ExecutionException late) {
            loseTo(LossCause.UNCONFIRMED);
        }
    }

    /** Whether the members' clients renew it. */
    boolean isRenewed() {
        return renewed;
    }

    /** Reports its release or its loss, whichever it ends by. */
    void reportEnd(Consumer<LockEvent> listener) {
        released.thenRun(() -> {
            Duration held = Duration.ofNanos(System.nanoTime() - since);
            listener.accept(new LockEvent.Released(lockName, LockKind.REENTRANT, fencingToken, held, false));
        });
        loss.thenAccept(listener);
    }
}
