package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;

/** Two scripts on one Lettuce connection. There is no wait, no renewal and no token. */
final class RawContender implements Contender {

    private static final String LEASE = "30000";
    static final String ACQUIRE = """
            if redis.call('exists', KEYS[1]) == 0 then
              redis.call('hset', KEYS[1], ARGV[1], 1)
              redis.call('pexpire', KEYS[1], ARGV[2])
              return 1
            end
            return 0
            """;
    static final String RELEASE = """
            if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
              redis.call('del', KEYS[1])
              redis.call('publish', 'raw:' .. KEYS[1], '0')
              return 1
            end
            return 0
            """;

    private final String id = UUID.randomUUID().toString();
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String acquire;
    private final String release;

    RawContender(int port) {
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
        this.acquire = connection.sync().scriptLoad(ACQUIRE);
        this.release = connection.sync().scriptLoad(RELEASE);
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        String[] keys = {name};
        return new TriedLock() {
            @Override
            boolean take() {
                return run(acquire, keys, owner(), LEASE);
            }

            @Override
            public void unlock() {
                if (!run(release, keys, owner())) {
                    throw new IllegalMonitorStateException("Not held: " + name);
                }
            }
        };
    }

    private String owner() {
        return id + ":" + Thread.currentThread().getId();
    }

    private boolean run(String digest, String[] keys, String... args) {
        try {
            return connection
                            .async()
                            .<Long>evalsha(digest, ScriptOutputType.INTEGER, keys, args)
                            .get()
                    == 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
