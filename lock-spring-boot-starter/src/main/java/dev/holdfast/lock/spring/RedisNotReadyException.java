package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** The application is configured not to start without a Redis that locks can work on, and there is none. */
public class RedisNotReadyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /** Creates the exception. The description and the action are sentences. */
    public RedisNotReadyException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** {@return a sentence that says what was found} */
    public String description() {
        return description;
    }

    /** {@return sentences that say what to do} */
    public String action() {
        return action;
    }
}
