package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes the locks that a call asks for, all of them or none. */
final class Entrance {

    private final Supplier<LockClient> client;
    private final LockObservations observations;

    Entrance(Supplier<LockClient> client, LockObservations observations) {
        this.client = client;
        this.observations = observations;
    }

    /** Takes the calling thread in, which waits where it has to. */
    Entry enter(GuardedCall call) {
        Admission admission = new Admission();
        Surroundings here = Surroundings.here();
        for (LockRequest request : call.requests()) {
            Refusal refusal;
            try {
                refusal = ask(request, admission, here.and(admission));
            } catch (Throwable unexpected) {
                admission.giveBack(unexpected);
                throw unexpected;
            }
            if (refusal != null) {
                admission.giveBack(refusal.reason());
                return refusal;
            }
        }
        return admission;
    }

    private @Nullable Refusal ask(LockRequest request, Admission admission, Surroundings around) {
        Attempt attempt = begin(request, around);
        try {
            if (attempt.covered() == null) {
                attempt.got(attempt.acquire(), admission);
            } else {
                attempt.lend(attempt.covered());
                attempt.borrowed(attempt.covered(), admission);
            }
            return null;
        } catch (LockNotAcquiredException | LockUnavailableException e) {
            return attempt.refused(e);
        } catch (RuntimeException | Error e) {
            attempt.failed(e);
            throw e;
        }
    }

    /** Takes a call in without blocking anybody; see {@link AsyncEntrance}. */
    CompletableFuture<Entry> enterAsync(GuardedCall call, Surroundings around) {
        return new AsyncEntrance(this, call, around).enter();
    }

    /**
     * Begins to ask for one lock.
     *
     * @param around the code around, which may have it already
     * @throws IllegalMonitorStateException if the call would wait for itself
     */
    Attempt begin(LockRequest request, Surroundings around) {
        // May throw: the observation starts after it.
        List<String> missing = missing(request, around.holds());
        Hold covering = missing.isEmpty()
                ? around.holds().covering(this, request.names().get(0), request.kind())
                : null;
        Hold covered = covering != null && covering.share() ? covering : null;
        // What was valid a moment ago may be over now.
        List<String> names = missing.isEmpty() && covered == null ? request.names() : missing;
        // A call inside one that holds the lock does not ask for it, and is part of the outer call's hold.
        LockObservation observation =
                covered == null ? observations.start(request, around.observation()) : LockObservation.NONE;
        return new Attempt(this, request, names, covered, observation);
    }

    /** The names that no surrounding call holds. */
    private List<String> missing(LockRequest request, Holds around) {
        LockKind kind = request.kind();
        if (around == Holds.NONE) {
            return request.names();
        }
        for (String name : request.names()) {
            if (around.covering(this, name, kind) == null && around.block(this, name, kind)) {
                throw new IllegalMonitorStateException(
                        Signatures.of(request.operation().method())
                                + " asks for the write lock of '" + name
                                + "' inside a call that has its read lock: two such calls would wait for each other."
                                + " Take the write lock in the outer call");
            }
        }
        return request.names().stream()
                .filter(name -> around.covering(this, name, kind) == null)
                .toList();
    }

    LeaseLock lock(LockRequest request, List<String> names) {
        try {
            return names.size() == 1
                    ? client.get().lock(names.get(0), request.kind())
                    : client.get().multiLock(names);
        } catch (IllegalArgumentException e) {
            LockOperation operation = request.operation();
            throw new InvalidLockKeyException(
                    Signatures.of(operation.method()),
                    operation.key() == null ? operation.name() : operation.key().toString(),
                    "gives no name for a lock: " + e.getMessage(),
                    e);
        }
    }
}
