package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a cluster's node says that a key is.
 *
 * @param isAsk whether only this one command is to go there, while the slot moves
 */
record Redirection(boolean isAsk, String host, int port) {

    /** "MOVED 3999 127.0.0.1:6381". An address of IPv6 has colons, too. */
    private static final Pattern FORM = Pattern.compile("(MOVED|ASK) \\d+ (.+):(\\d+)");

    static Redirection of(String answer) {
        Matcher form = FORM.matcher(answer.strip());
        if (!form.matches()) {
            throw new RedisException("redirected to an unknown place: " + answer);
        }
        return new Redirection(form.group(1).equals("ASK"), form.group(2), Integer.parseInt(form.group(3)));
    }
}
