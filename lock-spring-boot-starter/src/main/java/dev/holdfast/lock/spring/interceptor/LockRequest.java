package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import java.util.Comparator;
import java.util.List;

/**
 * One lock that one call needs.
 *
 * @param operation what the annotation declares
 * @param names the lock's names; several are one lock over all of them
 */
record LockRequest(LockOperation operation, List<String> names) {

    /** All calls acquire several locks in this order, so that two of them cannot wait for each other. */
    static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.names().get(0))
            .thenComparing(LockRequest::kind);

    LockKind kind() {
        return operation.kind();
    }

    /** Whether a busy lock skips the call, so that nobody needs to know its holder. */
    boolean isSkippedWhenBusy() {
        return operation.fallback() == null && operation.skipsBusy();
    }

    LockTerms terms() {
        return operation.terms();
    }
}
