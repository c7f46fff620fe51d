package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One acquisition of a composite lock. It runs in {@link Steps}; canceling its outcome cancels the member that it waits for. */
abstract class CompositeAttempt {

    final AcquireOptions options;
    final Deadline deadline;
    final CompletableFuture<CompositeLease> outcome = new CompletableFuture<>();

    /** Taken in the constructor: later steps run on other threads. */
    final @Nullable Thread interruptedOnLoss;

    private volatile @Nullable CompletableFuture<? extends Lease> pending;

    CompositeAttempt(AcquireOptions options, Deadline deadline) {
        this.options = options;
        this.deadline = deadline;
        this.interruptedOnLoss =
                options.interruptsOnLoss() ? options.boundThread().orElseGet(Thread::currentThread) : null;
    }

    CompletableFuture<CompositeLease> begin() {
        outcome.whenComplete((lease, failure) -> {
            CompletableFuture<? extends Lease> asked = pending;
            if (asked != null) {
                asked.cancel(false);
            }
        });
        Steps.run(this::start);
        return outcome;
    }

    abstract void start();

    /** Asks a member and waits for its answer. */
    CompletableFuture<? extends Lease> ask(LeaseLock member, Duration wait) {
        CompletableFuture<? extends Lease> asked = Members.acquire(member, options, wait);
        pending = asked;
        if (outcome.isDone()) {
            // Canceled between the request and the assignment.
            asked.cancel(false);
        }
        return asked;
    }

    void complete(CompositeLease lease) {
        if (!outcome.complete(lease)) {
            lease.releaseAsMember(0);
        }
    }
}
