package dev.holdfast.lock.internal.connection;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A command to Redis failed. It says whether the command may have been executed, and whether another try can help. */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** There is no connection: the command was not sent. */
        NOT_SENT,
        /** The command was sent and no answer came: it may have been executed, or may yet be. */
        NO_ANSWER,
        /** Redis refused it for now. */
        REFUSED_FOR_NOW,
        /** Redis refused it, and will refuse it again until the cause is fixed. */
        REFUSED
    }

    private final Kind kind;
    private final boolean outcomeUnknown;

    RedisFailure(Kind kind, String message, Throwable cause) {
        this(kind, message, cause, kind == Kind.NO_ANSWER);
    }

    private RedisFailure(Kind kind, String message, Throwable cause, boolean outcomeUnknown) {
        super(message, cause);
        this.kind = kind;
        this.outcomeUnknown = outcomeUnknown;
    }

    /** An answer that came too late to be used. */
    public static RedisFailure tooLate(String message) {
        return new RedisFailure(Kind.REFUSED_FOR_NOW, message, new TimeoutException(message));
    }

    /** The failure behind what a stage completed with. */
    public static RedisFailure of(@Nullable Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof RedisFailure failure) {
            return failure;
        }
        throw new IllegalStateException("Not a failure of Redis", thrown);
    }

    /** A failure that a server in memory was told to have. */
    public static RedisFailure simulated(Kind kind, String message) {
        return new RedisFailure(kind, message, new IllegalStateException(message));
    }

    static RedisFailure timedOut(boolean sent, String limit) {
        String message = (sent ? "no answer from Redis within " : "not sent: no connection to Redis within ") + limit;
        return new RedisFailure(sent ? Kind.NO_ANSWER : Kind.NOT_SENT, message, new TimeoutException(message));
    }

    /** The same failure of a step that followed a write: the write was executed. */
    RedisFailure afterWrite() {
        return outcomeUnknown ? this : new RedisFailure(kind, String.valueOf(getMessage()), this, true);
    }

    public Kind kind() {
        return kind;
    }

    /** Whether the command may have been executed or may yet be. */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }

    /** Whether asking again may help. */
    public boolean isPassing() {
        return kind != Kind.REFUSED;
    }
}
