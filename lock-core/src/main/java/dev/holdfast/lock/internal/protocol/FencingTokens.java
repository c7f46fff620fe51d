package dev.holdfast.lock.internal.protocol;

/**
 * How fencing tokens are numbered. Each grant draws one number, which is at least the server's clock in microseconds, and has this many tokens
 * for those who hold it in turn. A block of clock ticks for each grant would let the tokens outrun the clock on a busy server, and a lost
 * value could then bring one twice.
 */
public final class FencingTokens {

    public static final int FOR_EACH_GRANT = 1024;

    /** In place of a token: ask. */
    public static final long NONE = 0;

    private FencingTokens() {}

    /** Whether it is its grant's first: for the holder that got the grant from Redis. */
    public static boolean isFirst(long token) {
        return token % FOR_EACH_GRANT == 0;
    }

    /** The number whose grant a token belongs to. */
    public static long drawn(long token) {
        return token / FOR_EACH_GRANT;
    }

    /** The token in a message to a place. A message without one, or one that cannot be read, is a reason to ask. */
    public static long ofMessage(String message) {
        int space = message.indexOf(' ');
        if (space < 0) {
            return NONE;
        }
        try {
            return Long.parseLong(message, space + 1, message.length(), 10);
        } catch (NumberFormatException e) {
            return NONE;
        }
    }
}
