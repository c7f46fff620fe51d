package dev.holdfast.lock.internal.protocol;

/**
 * The numbering of fencing tokens. Each grant draws one number, which is at least the server's clock in microseconds. A grant has {@link
 * #FOR_EACH_GRANT} tokens, one for each of its successive holders. If each grant took a block of clock ticks instead, the tokens could outrun the
 * clock on a busy server, and a token could occur twice after Redis has lost the last number.
 */
public final class FencingTokens {

    public static final int FOR_EACH_GRANT = 1024;

    /** Stands for a missing token. The receiver must ask Redis. */
    public static final long NONE = 0;

    private FencingTokens() {}

    /** Returns whether the token is the first token of its grant, which belongs to the holder that got the grant from Redis. */
    public static boolean isFirst(long token) {
        return token % FOR_EACH_GRANT == 0;
    }

    /** Returns the number drawn by the grant of a token. */
    public static long drawn(long token) {
        return token / FOR_EACH_GRANT;
    }

    /** Returns the token in a message to a place, or {@link #NONE} if the message contains no readable token. */
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
