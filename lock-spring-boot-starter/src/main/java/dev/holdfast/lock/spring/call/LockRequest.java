package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Comparator;
import java.util.List;

/** One lock that a call needs, and what features do around it. If it has several names in Redis, they form one lock. */
public record LockRequest(LockOperation operation, List<AroundOperation> around, List<String> names) {
    /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
    static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.names().get(0))
            .thenComparing(request -> request.operation().kind());
}
