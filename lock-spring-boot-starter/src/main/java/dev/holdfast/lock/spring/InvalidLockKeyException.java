package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** Thrown if the value of a key expression cannot name a lock. The method did not run. */
public class InvalidLockKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The problem continues a sentence that begins with the expression, such as "is null". */
    public InvalidLockKeyException(String method, String expression, String problem, @Nullable Throwable cause) {
        super("The lock's key '" + expression + "' of " + method + " " + problem, cause);
    }
}
