package dev.holdfast.lock.connection;

/** A command to Redis went wrong. What matters to a lock is whether it may have been executed, and whether asking again can help. */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What kind of failure. */
    public enum Kind {
        /** There is no connection: the command never left. */
        NOT_SENT,
        /** The command left and no answer came: it may have been executed, or may yet be. */
        NO_ANSWER,
        /** Redis refused it for now; nothing was executed. */
        REFUSED_FOR_NOW,
        /** Redis refused it, and will again until somebody mends the cause; nothing was executed. */
        REFUSED
    }

    private final Kind kind;

    RedisFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /**
     * An answer that came when nobody could use it any more.
     *
     * @param message what it came too late for
     * @return the failure
     */
    public static RedisFailure tooLate(String message) {
        return new RedisFailure(Kind.REFUSED_FOR_NOW, message, new java.util.concurrent.TimeoutException(message));
    }

    /** What kind of failure. */
    public Kind kind() {
        return kind;
    }

    /** Whether the command may have been executed or may yet be. */
    public boolean isOutcomeUnknown() {
        return kind == Kind.NO_ANSWER;
    }

    /** Whether asking again may help. */
    public boolean isPassing() {
        return kind != Kind.REFUSED;
    }
}
