package dev.holdfast.lock.chaos;

import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/**
 * Redisson's fenced lock. Its watchdog has the same lease; other settings have their defaults. Each check whether the lock is held asks Redis, and no
 * answer counts as "not held".
 */
final class RedissonLibrary implements WorkerLocks {

    private final RedissonClient redisson;

    RedissonLibrary(Address address) {
        Config config = new Config();
        config.setLockWatchdogTimeout(Terms.LEASE.toMillis()).setThreads(4).setNettyThreads(2);
        switch (address.shape()) {
            case SERVER, QUORUM ->
                config.useSingleServer().setAddress(url(address.ports().get(0)));
            case SENTINELS ->
                config.useSentinelServers()
                        .setMasterName(Address.MASTER)
                        .addSentinelAddress(address.ports().stream()
                                .map(RedissonLibrary::url)
                                .toArray(String[]::new));
            case CLUSTER ->
                config.useClusterServers()
                        .addNodeAddress(address.ports().stream()
                                .map(RedissonLibrary::url)
                                .toArray(String[]::new));
        }
        redisson = Redisson.create(config);
    }

    private static String url(int port) {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public Answer acquire(Request request) {
        RFencedLock lock = redisson.getFencedLock(request.locks().get(0));
        try {
            Long token = lock.tryLockAndGetToken(request.patience().toMillis(), -1, TimeUnit.MILLISECONDS);
            return token == null ? new NotAcquired(Ending.BUSY) : new Acquired(hold(lock, token));
        } catch (RedisException | IllegalStateException e) {
            return new NotAcquired(Ending.UNAVAILABLE);
        }
    }

    private static Hold hold(RFencedLock lock, long token) {
        return new Hold() {
            @Override
            public long token() {
                return token;
            }

            @Override
            public boolean isHeld() {
                try {
                    return lock.isHeldByCurrentThread();
                } catch (RedisException e) {
                    return false;
                }
            }

            @Override
            public Ending release() {
                try {
                    lock.unlock();
                    return Ending.RELEASED;
                } catch (IllegalMonitorStateException e) {
                    return Ending.LOST;
                } catch (RedisException e) {
                    return Ending.FAILED;
                }
            }
        };
    }

    @Override
    public void forceRelease(String lock) {
        redisson.getFencedLock(lock).forceUnlock();
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
