package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** Thrown if startup fails because of the application's locks. Spring Boot prints the description and the action. */
public class LockStartupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;
    private final String description;
    private final String action;

    /** Creates the exception. The description and the action are complete sentences. */
    public LockStartupException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** {@return sentences that say what is wrong, and where} */
    public String description() {
        return description;
    }

    /** {@return sentences that say what to do} */
    public String action() {
        return action;
    }
}
