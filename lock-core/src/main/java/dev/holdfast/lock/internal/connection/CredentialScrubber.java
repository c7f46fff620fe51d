package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes credentials from error messages. Old servers and proxies without authentication repeat the arguments of an unknown command: "ERR unknown
 * command 'AUTH', with args beginning with: 'user' 'password'".
 */
final class CredentialScrubber {

    private static final Pattern ARGUMENTS = Pattern.compile(",? with args beginning with:?.*", Pattern.DOTALL);

    private CredentialScrubber() {}

    /** Returns the same exception, or a copy without the arguments if the exception, a cause or a suppressed exception repeats them. */
    static Throwable removedFrom(Throwable thrown) {
        return isIn(thrown) ? copy(thrown) : thrown;
    }

    private static boolean isIn(Throwable thrown) {
        String message = thrown.getMessage();
        Throwable cause = thrown.getCause();
        return (message != null && ARGUMENTS.matcher(message).find())
                || (cause != null && isIn(cause))
                || Arrays.stream(thrown.getSuppressed()).anyMatch(CredentialScrubber::isIn);
    }

    private static Throwable copy(Throwable thrown) {
        String message = removedFrom(thrown.getMessage());
        Throwable cause = thrown.getCause() == null ? null : removedFrom(thrown.getCause());
        RedisException copy = thrown instanceof RedisCommandExecutionException
                ? new RedisCommandExecutionException(message, cause)
                : new RedisException(message, cause);
        copy.setStackTrace(thrown.getStackTrace());
        for (Throwable suppressed : thrown.getSuppressed()) {
            copy.addSuppressed(removedFrom(suppressed));
        }
        return copy;
    }

    private static @Nullable String removedFrom(@Nullable String message) {
        return message == null ? null : ARGUMENTS.matcher(message).replaceAll("");
    }
}
