package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A connection over which a test sends the scripts of locks itself, and reads their answers. */
final class ScriptConnection implements AutoCloseable {

    static final LockKeys KEYS = new LockKeys("", new KeySlots(false));

    private final Timer timer = Timer.onThread("script-test");
    final RedisGateway gateway;

    ScriptConnection(RedisServer server) {
        gateway = RedisSource.of(server.uri())
                .opener(new KeySlots(false))
                .open(ConnectionSettings.forLease(Duration.ofSeconds(30)), timer, Ticker.system());
    }

    static LeaseTerms terms(long leaseMillis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        return new LeaseTerms(nanos, false, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);
    }

    static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    static long leftMillis(Answer.Granted granted) {
        return TimeUnit.NANOSECONDS.toMillis(granted.grant().leaseNanos());
    }

    @Override
    public void close() {
        gateway.close();
        timer.close();
    }
}
