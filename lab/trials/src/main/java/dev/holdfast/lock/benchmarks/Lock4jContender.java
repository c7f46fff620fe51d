package dev.holdfast.lock.benchmarks;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import dev.holdfast.lock.LockKind;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** lock4j with its defaults: two scripts, and a poll every 100 ms while a caller waits. */
final class Lock4jContender implements Contender {

    private static final long MILLIS = 600_000;

    private final LettuceConnectionFactory connections;
    private final LockTemplate template = new LockTemplate();

    Lock4jContender(int port) {
        this.connections = SpringContender.connect(port);
        Lock4jProperties properties = new Lock4jProperties();
        template.setProperties(properties);
        template.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties)));
        try {
            template.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        return new TriedLock() {
            private @Nullable LockInfo held;

            @Override
            boolean take() {
                held = template.lock(name, MILLIS, MILLIS);
                return held != null;
            }

            @Override
            public void unlock() {
                template.releaseLock(held);
            }
        };
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
