package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The failure of a command to Redis. Tells whether the command may have been executed, and whether another try can help. */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** No connection: the command was not sent. */
        NOT_SENT,
        /** The command was sent and not answered. Redis may have executed it, or may execute it later. */
        NO_ANSWER,
        /** Redis refused the command for now. */
        REFUSED_FOR_NOW,
        /** Redis refused the command, and will refuse it again until the cause is fixed. */
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

    /**
     * The messages, under the code ERR, for a command that a script may not call. The first one comes from Redis 7.0, the second one from Redis 7.2
     * and later and from Valkey.
     */
    private static final Set<String> NO_RIGHT_IN_SCRIPT =
            Set.of("The user executing the script", "ACL failure in script");

    /** The message of Redis, under the code ERR, for WAIT on a node that has become a replica. */
    private static final String NOT_ON_REPLICAS = "cannot be used with replica instances";

    /**
     * The messages of Redis, under the code ERR, for a script that needs a key which this node does not have (any longer), or which no node has for
     * now.
     */
    private static final Set<String> KEY_ELSEWHERE =
            Set.of("attempted to access a non local key", "attempted to access a slot not served");

    /**
     * What Lettuce reports if the server closes a connection that is being opened. The reset that follows may remove the server's last line, and the
     * connection may end before Lettuce has prepared it.
     */
    private static final Set<String> CLOSED =
            Set.of("closed prematurely", "Connection reset", "RedisHandshakeHandler not registered");

    /** The messages of clusters, and of services that look like one server, for a script whose keys are not in one slot or are not declared. */
    private static final Set<String> KEYS_APART = Set.of("CROSSSLOT", "do not hash to the same slot", "undeclared key");

    private static final String TLS_ADVICE =
            "; the TLS handshake failed: check the trust in the certificate, and the host in the address. A service may find its database by the full "
                    + "host name only, and an IP address or a name without dots is not sent (SNI)";

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

    /** Returns the failure for an answer that came too late to be used. */
    public static RedisFailure tooLate(String message) {
        return new RedisFailure(Kind.REFUSED_FOR_NOW, message, new TimeoutException(message));
    }

    /** Returns the failure that caused a stage to fail. */
    public static RedisFailure of(@Nullable Throwable thrown) {
        Throwable cause = Failures.unwrapped(thrown);
        if (cause instanceof RedisFailure failure) {
            return failure;
        }
        throw new IllegalStateException("Not a failure of Redis", thrown);
    }

    /** Returns a failure that a simulated server was told to produce. */
    public static RedisFailure simulated(Kind kind, String message) {
        return new RedisFailure(kind, message, new IllegalStateException(message));
    }

    static RedisFailure timedOut(boolean sent, String limit) {
        String message = (sent ? "no answer from Redis within " : "not sent: no connection to Redis within ") + limit;
        return new RedisFailure(sent ? Kind.NO_ANSWER : Kind.NOT_SENT, message, new TimeoutException(message));
    }

    /** Returns this failure as the failure of a step that followed a write. The write itself was executed. */
    RedisFailure afterWrite() {
        return outcomeUnknown ? this : new RedisFailure(kind, String.valueOf(getMessage()), this, true);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns whether Redis may have executed the command or may execute it later. */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }

    /** Returns whether the server refused the command because its keys are not all on one node. */
    public boolean isForKeys() {
        String message = String.valueOf(getMessage());
        return kind != Kind.NO_ANSWER && (isOneOf(KEYS_APART, message) || isOneOf(KEY_ELSEWHERE, message));
    }

    /** Returns this refusal as a transient one, because the next request can avoid it. */
    RedisFailure forNow() {
        return new RedisFailure(Kind.REFUSED_FOR_NOW, String.valueOf(getMessage()), this, outcomeUnknown);
    }

    /** Returns whether another try may succeed. */
    public boolean isTransient() {
        return kind != Kind.REFUSED;
    }

    /**
     * Converts an error of Redis or Lettuce into a failure. This method is the table of errors. Redis before version 7 wraps the error of a command
     * inside a script ("ERR Error running script … -OOM command not allowed"), so the code is searched for in the whole message.
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
        // The first known code decides. Later codes may be part of the quoted text.
        String code = codes(message)
                .filter(known -> TRANSIENT.contains(known) || RIGHTS.contains(known) || known.equals("CROSSSLOT"))
                .findFirst()
                .orElse("");
        if (TRANSIENT.contains(code) || (code.isEmpty() && message.contains(NOT_ON_REPLICAS))) {
            return new RedisFailure(Kind.REFUSED_FOR_NOW, "Redis refused the command for now: " + message, cause);
        }
        if (code.isEmpty() && isOneOf(KEY_ELSEWHERE, message)) {
            // The writes that the script made before the error remain.
            return new RedisFailure(Kind.REFUSED_FOR_NOW, "Redis refused a part of a script for now: " + message, cause)
                    .afterWrite();
        }
        boolean inScript = code.isEmpty() && isOneOf(NO_RIGHT_IN_SCRIPT, message);
        return new RedisFailure(
                Kind.REFUSED, "Redis refused the command: " + message + advice(inScript ? "NOPERM" : code), cause);
    }

    private static boolean isOneOf(Set<String> texts, String message) {
        // Valkey 9 writes "Attempted", other servers "attempted".
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

    /** Returns the failure that says why there is no connection. It is permanent for wrong credentials and transient otherwise. */
    static RedisFailure notConnected(Throwable problem) {
        Throwable thrown = CredentialScrubber.removedFrom(problem);
        StringBuilder chain = new StringBuilder("no connection to Redis");
        String advice = "";
        boolean isTls = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            // Each exception repeats the message of its cause.
            if (chain.indexOf(message) < 0) {
                chain.append(": ").append(message);
            }
            advice = codes(message)
                    .filter(RIGHTS::contains)
                    .reduce((first, last) -> last)
                    .map(RedisFailure::advice)
                    .orElse(advice);
            isTls |= cause instanceof SSLException;
        }
        // A certificate may be replaced, and a load balancer restarted, so it is tried again.
        return advice.isEmpty()
                ? new RedisFailure(Kind.NOT_SENT, isTls ? chain + TLS_ADVICE : chain.toString(), thrown)
                : new RedisFailure(Kind.REFUSED, chain + advice, thrown);
    }

    /** Returns whether the connection ended before it could be used, and the exception does not say why. */
    static boolean hidesItsReason(RedisException problem) {
        for (Throwable cause = problem.getCause(); cause != null; cause = cause.getCause()) {
            if (CLOSED.stream().anyMatch(String.valueOf(cause.getMessage())::contains)) {
                return true;
            }
        }
        return false;
    }

    static boolean isNoScript(Throwable failure) {
        return String.valueOf(failure.getMessage()).startsWith("NOSCRIPT");
    }

    /** Returns whether the failure shows that the answering node is the wrong one, because a failover has made it a replica. */
    static boolean isWrongNode(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains("READONLY")
                || message.contains("MASTERDOWN")
                || message.contains("UNBLOCKED")
                || message.contains(NOT_ON_REPLICAS);
    }

    /** Returns whether the node redirected the command to another node and executed nothing. */
    static boolean isRedirection(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.startsWith("MOVED ") || isAsk(failure);
    }

    /** Returns whether the redirection is for this one command only, because its slot is moving. */
    static boolean isAsk(Throwable redirection) {
        return String.valueOf(redirection.getMessage()).startsWith("ASK ");
    }

    static boolean isUnknownCommand(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("unknown command");
    }
}
