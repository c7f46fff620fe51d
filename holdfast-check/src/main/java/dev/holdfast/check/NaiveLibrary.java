package dev.holdfast.check;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A lock as it is written in an afternoon: {@code SET NX PX}, a counter for tokens, a thread that renews, and {@code DEL}. Lettuce has its defaults
 * except for the time limit. All kinds of locks are the same. This lock must fail: a checker that finds no fault in it is useless.
 */
final class NaiveLibrary implements WorkerLocks {

    private final RedisClusterCommands<String, String> redis;
    private final Runnable shutdown;
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService renewals = Executors.newSingleThreadScheduledExecutor();

    NaiveLibrary(Address address) {
        Duration timeout = Duration.ofSeconds(1);
        if (address.shape() == Address.Shape.CLUSTER) {
            List<RedisURI> uris = address.uris();
            uris.forEach(uri -> uri.setTimeout(timeout));
            RedisClusterClient client = RedisClusterClient.create(uris);
            redis = client.connect().sync();
            shutdown = client::shutdown;
        } else {
            RedisURI uri = address.shape() == Address.Shape.SENTINELS ? address.sentinels() : address.uri(0);
            uri.setTimeout(timeout);
            RedisClient client = RedisClient.create(uri);
            redis = client.connect().sync();
            shutdown = client::shutdown;
        }
        long third = Terms.LEASE.toMillis() / 3;
        renewals.scheduleWithFixedDelay(this::renew, third, third, TimeUnit.MILLISECONDS);
    }

    private void renew() {
        for (String key : held) {
            try {
                redis.pexpire(key, Terms.LEASE.toMillis());
            } catch (RedisException ignored) {
                // The next renewal will succeed.
            }
        }
    }

    @Override
    public Answer acquire(Request request) {
        String key = WorkerSettings.PRESENT.prefix() + request.locks().get(0);
        long end = System.nanoTime() + request.patience().toNanos();
        try {
            do {
                if (redis.set(key, "1", SetArgs.Builder.nx().px(Terms.LEASE.toMillis())) != null) {
                    held.add(key);
                    return new Acquired(hold(key, redis.incr(key + ":token")));
                }
                TimeUnit.MILLISECONDS.sleep(2);
            } while (System.nanoTime() - end < 0);
            return new NotAcquired(Ending.BUSY);
        } catch (RedisException e) {
            held.remove(key);
            return new NotAcquired(Ending.UNAVAILABLE);
        } catch (InterruptedException e) {
            return new NotAcquired(Ending.GIVEN_UP);
        }
    }

    private Hold hold(String key, long token) {
        return new Hold() {
            @Override
            public long token() {
                return token;
            }

            @Override
            public boolean isHeld() {
                return true;
            }

            @Override
            public Ending release() {
                held.remove(key);
                try {
                    redis.del(key);
                    return Ending.RELEASED;
                } catch (RedisException e) {
                    return Ending.FAILED;
                }
            }
        };
    }

    @Override
    public void forceRelease(String lock) {
        redis.del(WorkerSettings.PRESENT.prefix() + lock);
    }

    @Override
    public void close() {
        renewals.shutdownNow();
        shutdown.run();
    }
}
