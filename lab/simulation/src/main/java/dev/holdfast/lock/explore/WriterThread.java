package dev.holdfast.lock.explore;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.explore.Scenario.Use;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.thread.LibraryLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A thread that writes, reads meanwhile, and goes on reading. When it goes on is a choice. */
final class WriterThread {

    private final Caller caller;
    private final Use use;
    private final Situation situation;
    private final String lock;
    /** The call on the thread. The digest reads where it stands. */
    final Blocked call = new Blocked();

    private String next = "";
    private @Nullable CompletableFuture<Void> turn;
    private @Nullable Hold writing;
    private @Nullable Hold reading;

    WriterThread(Caller caller, Situation situation, Use use) {
        this.caller = caller;
        this.situation = situation;
        this.use = use;
        this.lock = use.names().get(0);
    }

    /** Returns whether the thread waits for its lock. */
    boolean asks() {
        return writing == null && reading == null;
    }

    void addChoices(List<Choice> choices) {
        CompletableFuture<Void> present = turn;
        if (present != null) {
            choices.add(new Choice(caller.name, () -> next, () -> present.complete(null)));
        }
    }

    private void untilItGoesOn(String step) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        next = step;
        turn = mine;
        caller.process.await(mine);
        turn = null;
    }

    /** Called on the thread. */
    void run() {
        LeaseLock writer = caller.process.client.getLock(lock, LockKind.WRITE);
        LeaseLock reader = caller.process.client.getLock(lock, LockKind.READ);
        try {
            writer.lock();
            Hold wrote = new Hold(caller, use, lease(writer, LockKind.WRITE));
            writing = wrote;
            situation.promises.granted(wrote);
            untilItGoesOn("reads meanwhile");
            if (!reader.tryLock()) {
                situation.promises.fail("a writer may read", caller.name + " is refused");
                return;
            }
            Hold read = new Hold(caller, Use.of(LockKind.READ), lease(reader, LockKind.READ));
            reading = read;
            situation.promises.granted(read);
            untilItGoesOn("stops writing");
            leave(writer, wrote);
            untilItGoesOn("stops reading");
            leave(reader, read);
        } catch (LockException failure) {
            situation.promises.refused(caller, use, failure);
        } finally {
            caller.ended();
        }
    }

    private void leave(LeaseLock left, Hold hold) {
        situation.promises.released(hold);
        try {
            left.unlock();
            situation.promises.releaseEnded(hold, null);
        } catch (IllegalMonitorStateException lost) {
            situation.promises.releaseEnded(hold, lost);
        }
        if (hold == writing) {
            writing = null;
        }
    }

    private HeldLease lease(LeaseLock entered, LockKind kind) {
        ThreadHolds.Hold<?> found =
                ((LibraryLock) entered).holds().find(new LockId(kind, lock), Thread.currentThread());
        if (found == null) {
            throw new IllegalStateException(caller.name + " does not have what it has entered");
        }
        return (HeldLease) found.lease();
    }
}
