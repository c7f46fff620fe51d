package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import java.util.Comparator;
import java.util.List;

/**
 * One lock that one call asks for.
 *
 * @param operation what was declared
 * @param names the lock's names; several are one lock over all of them
 */
record LockRequest(LockOperation operation, List<String> names) {

    /** Everybody who takes several locks takes them in this order, so that two calls cannot wait for each other. */
    static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.names().get(0))
            .thenComparing(LockRequest::kind);

    LockKind kind() {
        return operation.kind();
    }

    LockTerms terms() {
        return operation.terms();
    }
}
