package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    private static final Set<String> TRANSIENT = Set.of(
            "NOSCRIPT",
            "READONLY",
            "MOVED",
            "ASK",
            "LOADING",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "NOREPLICAS",
            "OOM",
            "MISCONF",
            "BUSY",
            "UNBLOCKED");
    private static final Set<String> RIGHTS = Set.of("NOPERM", "NOAUTH", "WRONGPASS");

    /** What Redis 7.0, and what Redis from 7.2 and Valkey say, under the code ERR, of a command that a script may not call. */
    private static final Set<String> NO_RIGHT_IN_SCRIPT =
            Set.of("The user executing the script", "ACL failure in script");

    /** What Redis says, under the code ERR, of WAIT on a node that has become a replica. */
    private static final String NOT_ON_REPLICAS = "cannot be used with replica instances";

    /** What Redis says, under the code ERR, where a script needs a key that is not here, or not here any more, or nowhere for now. */
    private static final Set<String> KEY_ELSEWHERE =
            Set.of("attempted to access a non local key", "attempted to access a slot not served");

    /** What clusters, and services that look like one server, say where the keys of a script are not in one slot, or not declared. */
    private static final Set<String> KEYS_APART = Set.of("CROSSSLOT", "do not hash to the same slot", "undeclared key");

    private static final Pattern CODE = Pattern.compile("\\b[A-Z]{3,}\\b");
    private static final String NOT_CONNECTED = "not connected";
    private static final String QUEUE_FULL = "size exceeded";

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
        Throwable cause = Failures.unwrapped(thrown);
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

    /** Whether the server refused the command because its keys are not in one place. */
    public boolean isForKeys() {
        String message = String.valueOf(getMessage());
        return kind != Kind.NO_ANSWER && (isOneOf(KEYS_APART, message) || isOneOf(KEY_ELSEWHERE, message));
    }

    /** The same refusal where the next request can avoid it. */
    RedisFailure forNow() {
        return new RedisFailure(Kind.REFUSED_FOR_NOW, String.valueOf(getMessage()), this, outcomeUnknown);
    }

    /** Whether asking again may help. */
    public boolean isTransient() {
        return kind != Kind.REFUSED;
    }

    /**
     * The error table: what the errors of Redis and Lettuce mean to a lock. Redis before 7 wraps the error of a command inside a script ("ERR Error
     * running script … -OOM command not allowed"), so the code is searched in the whole message.
     */
    static RedisFailure classify(Throwable thrown) {
        Throwable cause = Objects.requireNonNull(Failures.unwrapped(thrown));
        if (cause instanceof RedisFailure failure) {
            return failure;
        }
        cause = CredentialScrubber.removedFrom(cause);
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException) {
            return refusal(message, cause);
        }
        if (cause instanceof RedisException && (message.contains(NOT_CONNECTED) || message.contains(QUEUE_FULL))) {
            return new RedisFailure(Kind.NOT_SENT, "not sent: " + message, cause);
        }
        return new RedisFailure(Kind.NO_ANSWER, "no answer from Redis: " + message, cause);
    }

    private static RedisFailure refusal(String message, Throwable cause) {
        // The first known code decides: others may be part of what it is about.
        String code = codes(message)
                .filter(known -> TRANSIENT.contains(known) || RIGHTS.contains(known) || known.equals("CROSSSLOT"))
                .findFirst()
                .orElse("");
        if (TRANSIENT.contains(code) || (code.isEmpty() && message.contains(NOT_ON_REPLICAS))) {
            return new RedisFailure(Kind.REFUSED_FOR_NOW, "Redis refused the command for now: " + message, cause);
        }
        if (code.isEmpty() && isOneOf(KEY_ELSEWHERE, message)) {
            // What the script wrote before stays written.
            return new RedisFailure(Kind.REFUSED_FOR_NOW, "Redis refused a part of a script for now: " + message, cause)
                    .afterWrite();
        }
        boolean inScript = code.isEmpty() && isOneOf(NO_RIGHT_IN_SCRIPT, message);
        return new RedisFailure(
                Kind.REFUSED, "Redis refused the command: " + message + advice(inScript ? "NOPERM" : code), cause);
    }

    private static boolean isOneOf(Set<String> texts, String message) {
        // Valkey 9 writes "Attempted" where others write "attempted".
        String lowerCase = message.toLowerCase(Locale.ROOT);
        return texts.stream().anyMatch(text -> lowerCase.contains(text.toLowerCase(Locale.ROOT)));
    }

    private static Stream<String> codes(String message) {
        return CODE.matcher(message).results().map(MatchResult::group);
    }

    private static String advice(String code) {
        if (code.equals("CROSSSLOT")) {
            return "; " + KeySlots.FIX;
        }
        if (!RIGHTS.contains(code)) {
            return "";
        }
        return code.equals("NOPERM")
                ? "; give the Redis user the rights listed in docs/acl.conf"
                : "; check user name and password of the connection to Redis";
    }

    /** Why there is no connection. Wrong credentials do not fix themselves. */
    static RedisFailure notConnected(Throwable problem) {
        Throwable thrown = CredentialScrubber.removedFrom(problem);
        StringBuilder chain = new StringBuilder("no connection to Redis");
        String advice = "";
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            // Each layer repeats what the one below said.
            if (chain.indexOf(message) < 0) {
                chain.append(": ").append(message);
            }
            advice = codes(message)
                    .filter(RIGHTS::contains)
                    .reduce((first, last) -> last)
                    .map(RedisFailure::advice)
                    .orElse(advice);
        }
        return new RedisFailure(advice.isEmpty() ? Kind.NOT_SENT : Kind.REFUSED, chain + advice, thrown);
    }

    /** The connection ended before it could be used, and nobody says why. */
    static boolean hidesItsReason(RedisException problem) {
        return problem.getCause() instanceof RedisConnectionException cause
                && String.valueOf(cause.getMessage()).contains("closed prematurely");
    }

    static boolean isNoScript(Throwable failure) {
        return String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
    }

    /** The node that answered is not the one to ask: a failover has made it a replica. */
    static boolean isWrongNode(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains("READONLY")
                || message.contains("MASTERDOWN")
                || message.contains("UNBLOCKED")
                || message.contains(NOT_ON_REPLICAS);
    }

    /** The node executed nothing, and names the one to ask. */
    static boolean isRedirection(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.startsWith("MOVED ") || message.startsWith("ASK ");
    }

    static boolean isUnknownCommand(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("unknown command");
    }
}
