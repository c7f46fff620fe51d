package dev.holdfast.lock.explore;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.explore.Scenario.Middle;
import dev.holdfast.lock.explore.Scenario.Use;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A caller of a client, which acquires and releases with the public API. When it goes on is a choice. */
final class Caller {

    private static final Duration LONG = Duration.ofMinutes(2);
    static final int EXTENSION_MILLIS = 4000;

    private final Situation situation;
    final ClientProcess process;
    final String name;
    private final List<Use> uses;
    private int next;
    private @Nullable CompletableFuture<Optional<Lease>> call;
    private @Nullable Hold hold;
    private @Nullable Blocked blocked;
    private boolean isMiddleOver;
    private @Nullable WriterThread thread;

    Caller(Situation situation, ClientProcess process, String name, List<Use> uses) {
        this.situation = situation;
        this.process = process;
        this.name = name;
        this.uses = uses;
    }

    /** Returns what the caller asks for; null if it asks for nothing. */
    @Nullable
    Use asked() {
        boolean asks = thread == null ? call != null : thread.asks();
        return asks ? uses.get(next) : null;
    }

    /** Returns a number that tells where the caller is. */
    int progress() {
        return 4 * next + (call == null ? 0 : 1) + (hold == null ? 0 : 2);
    }

    boolean isDone() {
        return call == null && hold == null && thread == null && next == uses.size();
    }

    void addChoices(List<Choice> choices) {
        if (thread != null) {
            thread.addChoices(choices);
        } else if (hold != null) {
            if (blocked == null) {
                addUse(choices, hold);
            }
        } else if (call != null) {
            if (uses.get(next).waits() && situation.allows(Fault.CANCEL)) {
                choices.add(new Choice(name, Fault.CANCEL, () -> "gives up", this::cancel));
            }
        } else if (next < uses.size() && process.closing == null) {
            choices.add(new Choice(name, () -> "asks for " + describe(uses.get(next)), this::ask));
        }
    }

    private void addUse(List<Choice> choices, Hold present) {
        Middle middle = present.use.middle();
        if (middle == Middle.KEEP) {
            return;
        }
        if (isMiddleOver || middle == Middle.NOTHING) {
            choices.add(new Choice(name, () -> "releases", () -> release(present)));
        } else {
            choices.add(new Choice(
                    name,
                    () -> switch (middle) {
                        case EXTEND -> "extends its lease to 4 s";
                        default -> "writes the record";
                    },
                    () -> begin(present)));
        }
    }

    static String describe(Use use) {
        LockKind kind = use.kind();
        String what = kind == null
                ? "all of " + use.names()
                : kind.isSemaphore()
                        ? "one of " + use.permits() + (kind.isFair() ? " permits in order" : " permits")
                        : kind == LockKind.REENTRANT
                                ? "the lock"
                                : "the " + kind.name().toLowerCase(Locale.ROOT) + " lock";
        return what
                + (use.waits() ? "" : " without a wait")
                + (use.leaseMillis() > 0 ? " for " + use.leaseMillis() + " ms" : "")
                + (use.minHoldMillis() > 0 ? ", at least " + use.minHoldMillis() + " ms" : "");
    }

    private LeaseSource lock(Use use) {
        LockKind kind = use.kind();
        if (kind == null) {
            return process.client.getMultiLock(use.names());
        }
        String lock = use.names().get(0);
        return switch (kind) {
            case SEMAPHORE -> process.client.getSemaphore(lock, use.permits());
            case FAIR_SEMAPHORE -> process.client.getFairSemaphore(lock, use.permits());
            case REENTRANT, FAIR, READ, WRITE -> process.client.getLock(lock, kind);
        };
    }

    private void ask() {
        Use use = uses.get(next);
        if (use.middle() == Middle.READ) {
            WriterThread started = new WriterThread(this, situation, use);
            thread = started;
            situation.start(process, started.call, started::run);
            return;
        }
        AcquireOptions options = AcquireOptions.defaults().waitAtMost(use.waits() ? LONG : Duration.ZERO);
        if (use.leaseMillis() > 0) {
            options = options.lease(Duration.ofMillis(use.leaseMillis()));
        }
        if (use.minHoldMillis() > 0) {
            options = options.minHold(Duration.ofMillis(use.minHoldMillis()));
        }
        CompletableFuture<Optional<Lease>> asked;
        try {
            asked = lock(use).tryAcquireAsync(options).toCompletableFuture();
        } catch (LockException refused) {
            asked = CompletableFuture.failedFuture(refused);
        }
        call = asked;
        isMiddleOver = false;
        CompletableFuture<Optional<Lease>> mine = asked;
        asked.whenComplete((lease, failure) -> {
            if (call == mine) {
                call = null;
                answered(use, lease == null ? null : lease.orElse(null), failure);
            }
        });
    }

    /** The thread of the present use has ended. */
    void ended() {
        thread = null;
        next++;
    }

    private void cancel() {
        CompletableFuture<?> canceled = call;
        call = null;
        next++;
        if (canceled != null) {
            canceled.cancel(false);
        }
    }

    private void answered(Use use, @Nullable Lease lease, @Nullable Throwable failure) {
        if (lease != null) {
            Hold granted = new Hold(this, use, lease);
            hold = granted;
            situation.promises.granted(granted);
            lease.onLost(loss -> lost(granted, loss.cause().name()));
        } else {
            next++;
            situation.promises.refused(this, use, unwrapped(failure));
        }
    }

    private void lost(Hold lost, String cause) {
        if (hold == lost) {
            hold = null;
            next++;
            situation.promises.lost(lost, cause);
        }
    }

    private void release(Hold released) {
        hold = null;
        next++;
        situation.promises.released(released);
        released.lease
                .releaseAsync()
                .whenComplete((done, failure) -> situation.promises.releaseEnded(released, unwrapped(failure)));
    }

    private static @Nullable Throwable unwrapped(@Nullable Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    private void begin(Hold present) {
        if (present.use.middle() == Middle.RECORD) {
            isMiddleOver = true;
            situation.promises.records.use(
                    present, process.client.getRecord(present.use.names().get(0)));
            return;
        }
        Blocked begun = new Blocked();
        blocked = begun;
        situation.start(process, begun, () -> {
            try {
                present.lease.extend(Duration.ofMillis(EXTENSION_MILLIS));
            } catch (LockException | IllegalMonitorStateException failure) {
                situation.promises.failed(present, failure);
            } finally {
                blocked = null;
                isMiddleOver = true;
            }
        });
    }
}
