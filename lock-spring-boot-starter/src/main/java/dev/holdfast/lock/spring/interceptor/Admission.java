package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import io.micrometer.observation.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The locks that a call has got, in the order in which it took them. Empty where its body runs without. */
final class Admission implements Entry {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization", Admission.class.getClassLoader());

    private final List<Stay> stays = new ArrayList<>(1);

    void add(Stay stay) {
        stays.add(stay);
    }

    List<Stay> stays() {
        return stays;
    }

    /** The lease of the last lock; none where the body runs without. */
    @Nullable
    Lease lease() {
        return stays.isEmpty() ? null : stays.get(stays.size() - 1).lease();
    }

    /** These holds over those of the code around the call. */
    Holds over(Holds outer) {
        Holds holds = outer;
        for (Stay stay : stays) {
            holds = stay.own() ? holds.with(stay.hold()) : holds;
        }
        return holds;
    }

    /** Where this thread is inside a transaction, the locks are kept until it has completed. */
    void keepForTransaction() {
        if (TRANSACTIONS) {
            stays.forEach(TransactionEnd::keep);
        }
    }

    /** Makes the holds and their observations known to what this thread runs, until closed. */
    LockContext.Scope goInside() {
        for (Stay stay : stays) {
            if (stay.own()) {
                Holds.enter(stay.hold());
            }
        }
        Lease lease = lease();
        LockContext.Scope scope = lease == null ? () -> {} : LockContext.enter(lease);
        LockContext.Scope observed = openObservations();
        return () -> {
            observed.close();
            scope.close();
            for (Stay stay : stays) {
                if (stay.own() && !stay.hold().isKeptByTransaction()) {
                    Holds.leave(stay.hold());
                }
            }
        };
    }

    /** The last lock's observation is the innermost. */
    private LockContext.Scope openObservations() {
        LockContext.Scope all = () -> {};
        for (Stay stay : stays) {
            if (stay.own()) {
                LockContext.Scope outer = all;
                LockContext.Scope inner = stay.hold().observation().openScope();
                all = () -> {
                    inner.close();
                    outer.close();
                };
            }
        }
        return all;
    }

    /** The innermost observation of what this call holds, if it is observed. */
    @Nullable
    Observation observation() {
        for (int i = stays.size() - 1; i >= 0; i--) {
            Observation hold =
                    stays.get(i).own() ? stays.get(i).hold().observation().hold() : null;
            if (hold != null) {
                return hold;
            }
        }
        return null;
    }

    /**
     * Gives the locks back, the last one first.
     *
     * @param failure what the body threw, if it did
     * @return what the call throws, if anything: the body's own failure, or a loss that nobody has been told of
     */
    @Nullable
    Throwable giveBack(@Nullable Throwable failure) {
        Throwable outcome = failure;
        for (int i = stays.size() - 1; i >= 0; i--) {
            outcome = together(outcome, stays.get(i).giveBack());
        }
        return outcome;
    }

    /** Like {@link #giveBack}, without waiting on this thread. Never fails. */
    CompletableFuture<@Nullable Throwable> giveBackAsync(@Nullable Throwable failure) {
        CompletableFuture<@Nullable Throwable> outcome = CompletableFuture.completedFuture(failure);
        for (int i = stays.size() - 1; i >= 0; i--) {
            outcome = outcome.thenCombine(stays.get(i).giveBackAsync(), Admission::together);
        }
        return outcome;
    }

    private static @Nullable Throwable together(@Nullable Throwable outcome, @Nullable LeaseLostException lost) {
        if (outcome == null) {
            return lost;
        }
        if (lost != null && lost != outcome) {
            outcome.addSuppressed(lost);
        }
        return outcome;
    }
}
