package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The highest fencing token that a client has seen, which each later one must exceed, and the minimum of all later tokens. The minimum is set if a
 * token of another server must be exceeded: first in Redis, for tokens that are drawn later, and then here, for tokens that were drawn before. A
 * grant whose remaining tokens are below the minimum is not handed over.
 *
 * <p>A token is a clock value, so the token of another server is close to this server's time. A token far ahead is refused: all later tokens of every
 * client, for all names of the slot, would start from it, and close to the largest number, there would be no numbers left for them.
 */
final class TokenBounds {

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

    TokenBounds(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    /** Returns the highest number drawn that this client has seen. Sent to Redis, which may have lost the last number that it has drawn. */
    long highestDrawn() {
        return FencingTokens.drawn(highest.get());
    }

    void seen(Grant grant) {
        highest.accumulateAndGet(grant.lastToken(), Math::max);
    }

    boolean allows(Grant grant) {
        return grant.isBeyond(minimum.get());
    }

    CompletableFuture<Void> raise(String name, String key, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("'token' must not be negative, was " + token);
        }
        List<String> names = List.of(keys.tokenKey(key));
        List<String> args = List.of(
                Long.toString(FencingTokens.drawn(token)),
                Long.toString(TimeUnit.NANOSECONDS.toMicros(MOST_AHEAD.toNanos())));
        return gateway.runReplicated(Scripts.RAISE, names, args, minReplicas, LockProtocol::isYes, ScriptResult::values)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(RedisFailures.unavailable(name, failure)))
                .thenAccept(answer -> raised(token, answer));
    }

    private void raised(long token, List<Object> answer) {
        if (!LockProtocol.isYes(answer)) {
            throw new IllegalArgumentException("'token' must be at most " + MOST_AHEAD
                    + " ahead of the server's clock, was " + Duration.ofSeconds((Long) answer.get(1)) + " ahead: "
                    + token + ". A token is the server's time in microseconds, times " + FencingTokens.FOR_EACH_GRANT
                    + "; all later tokens would start from this one");
        }
        minimum.accumulateAndGet(token, Math::max);
        highest.accumulateAndGet(token, Math::max);
    }
}
