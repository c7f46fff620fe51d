package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock with its defaults: SET and DEL, without waits and renewal. */
final class ShedLockContender implements Contender {

    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final LettuceConnectionFactory connections;
    private final LockProvider provider;

    ShedLockContender(int port) {
        this.connections = SpringContender.connect(port);
        this.provider = new RedisLockProvider(connections);
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        return new TriedLock() {
            private @Nullable SimpleLock held;

            @Override
            boolean take() {
                held = provider.lock(new LockConfiguration(Instant.now(), name, LONGEST, Duration.ZERO))
                        .orElse(null);
                return held != null;
            }

            @Override
            public void unlock() {
                if (held != null) {
                    held.unlock();
                }
            }
        };
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
