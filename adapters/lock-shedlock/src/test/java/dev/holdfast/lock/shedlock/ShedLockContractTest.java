package dev.holdfast.lock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

/** The tests that ShedLock publishes for its providers, without an exception. */
class ShedLockContractTest extends AbstractExtensibleLockProviderIntegrationTest {

    @AutoClose
    private static LockClient client;

    @BeforeAll
    static void start() {
        client = RedisLockClient.create(RedisSource.of(RedisServer.shared().uri()));
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return HoldfastLockProviderTest.askingAgain(new HoldfastLockProvider(client));
    }

    @Override
    protected void assertUnlocked(String lockName) {
        // A lease of a few milliseconds ends for its holder a moment before it ends in Redis. The others last two
        // seconds.
        Await.until(
                lockName + " is free",
                Await.PATIENCE,
                () -> RedisServer.shared().cli().exists(lockName) == 0);
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(RedisServer.shared().cli().exists(lockName)).isOne();
    }
}
