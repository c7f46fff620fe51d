package dev.holdfast.lock.redis;

import dev.holdfast.lock.connection.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Lifts a lock's tokens above one that came from elsewhere: in Redis for all that is drawn, here for what was drawn already. */
final class TokenRaising {

    private static final Script RAISE = Script.load(TokenRaising.class, "raise");

    private final ClientParts parts;
    private final LockKeys keys;

    TokenRaising(ClientParts parts, LockKeys keys) {
        this.parts = parts;
        this.keys = keys;
    }

    CompletableFuture<List<Object>> raise(String name, String key, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("'token' must not be negative, was " + token);
        }
        parts.tokenFloor().raise(token);
        parts.highestToken().accumulateAndGet(token, Math::max);
        List<String> names = List.of(keys.tokenKey(key));
        List<String> args = List.of(Long.toString(FencingTokens.drawn(token)));
        return parts.gateway()
                .runReplicated(RAISE, names, args, parts.settings().minReplicas(), answer -> true)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(RedisFailures.unavailable(name, failure)));
    }
}
