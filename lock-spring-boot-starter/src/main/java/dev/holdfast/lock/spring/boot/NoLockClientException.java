package dev.holdfast.lock.spring.boot;

import java.util.Collection;

/** There are annotated methods, and no bean that could lock for them. */
final class NoLockClientException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param clients how many candidates there are
     * @param declared the names of the declared locks
     */
    NoLockClientException(int clients, Collection<String> declared) {
        super("@DistributedLock declares " + String.join(", ", declared) + ", and there "
                + (clients == 0 ? "is no bean of type LockClient" : "are " + clients + " beans of type LockClient")
                + " to take them");
    }
}
