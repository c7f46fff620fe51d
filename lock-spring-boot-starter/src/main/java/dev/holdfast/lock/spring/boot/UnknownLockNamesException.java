package dev.holdfast.lock.spring.boot;

import java.util.Collection;
import java.util.List;

/** The configuration names locks that no annotation declares. */
final class UnknownLockNamesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param properties the keys that name unknown locks
     * @param declared the names that are known
     */
    UnknownLockNamesException(List<String> properties, Collection<String> declared) {
        super("No @DistributedLock declares what is set under " + String.join(", ", properties) + ". "
                + (declared.isEmpty()
                        ? "No bean declares any lock"
                        : "Declared names: " + String.join(", ", declared)));
    }
}
