package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbering of fencing tokens. Each grant draws one number, which is at least the server's clock in microseconds. A grant has {@link
 * #FOR_EACH_GRANT} tokens, one for each of its successive holders. If each grant took a block of clock ticks instead, the tokens could outrun the
 * clock on a busy server, and a token could occur twice after Redis has lost the last number.
 *
 * <p>An object of this class has the highest fencing token that a client has seen, which each later one must exceed, and the minimum of all later
 * tokens. The minimum is set if a token of another server must be exceeded: first in Redis, for tokens that are drawn later, and then here, for
 * tokens that were drawn before. A grant whose remaining tokens are below the minimum is not handed over.
 *
 * <p>A token is a clock value, so the token of another server is close to this server's time. A token far ahead is refused: all later tokens of every
 * client, for all names of the slot, would start from it, and close to the largest number, there would be no numbers left for them.
 */
public final class FencingTokens {

    public static final int FOR_EACH_GRANT = 1024;

    /** Stands for a missing token. The receiver must ask Redis. */
    public static final long NONE = 0;

    /**
     * The largest time by which a token may be ahead of the server's clock. Properly set clocks differ by far less, and after this time, all new
     * tokens follow the clock again.
     */
    static final Duration MOST_AHEAD = Duration.ofHours(24);

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final AtomicLong highest = new AtomicLong();
    private final AtomicLong minimum = new AtomicLong();

    public FencingTokens(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    /** Returns the highest number drawn that this client has seen. Sent to Redis, which may have lost the last number that it has drawn. */
    public long highestDrawn() {
        return drawn(highest.get());
    }

    public void seen(Grant grant) {
        highest.accumulateAndGet(grant.lastToken(), Math::max);
    }

    public boolean allows(Grant grant) {
        return grant.isBeyond(minimum.get());
    }

    public CompletableFuture<Void> raise(String name, String key, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("'token' must not be negative, was " + token);
        }
        List<String> names = List.of(keys.tokenKey(key));
        List<String> args = List.of(
                Long.toString(drawn(token)), Long.toString(TimeUnit.NANOSECONDS.toMicros(MOST_AHEAD.toNanos())));
        return gateway.runReplicated(
                        Scripts.RAISE.get(), names, args, minReplicas, LockProtocol::isYes, ScriptResult::values)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(RedisFailures.unavailable(name, failure)))
                .thenAccept(answer -> raised(token, answer));
    }

    private void raised(long token, List<Object> answer) {
        if (!LockProtocol.isYes(answer)) {
            throw new IllegalArgumentException("'token' must be at most " + MOST_AHEAD
                    + " ahead of the server's clock, was " + Duration.ofSeconds((Long) answer.get(1)) + " ahead: "
                    + token + ". A token is the server's time in microseconds, times " + FOR_EACH_GRANT
                    + "; all later tokens would start from this one");
        }
        minimum.accumulateAndGet(token, Math::max);
        highest.accumulateAndGet(token, Math::max);
    }

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
