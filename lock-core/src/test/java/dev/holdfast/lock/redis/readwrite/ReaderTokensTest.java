package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several readers have the lock at the same time, so a grant that was not delivered may be older than another client's. */
@Timeout(Await.TEST_SECONDS)
class ReaderTokensTest {

    @Test
    void grantWhoseAnswerWasLostIsNotGivenToAReaderWhoCameLater() {
        RedisServer server = RedisServer.shared();
        String name = Waits.name("readers");
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient distant = Waits.client(proxy).build();
                LockClient near = Waits.client(server).build()) {
            LeaseLock lock = distant.getReadWriteLock(name).readLock();
            // So that Redis knows the script.
            lock.acquire().close();
            proxy.holdBack(Direction.TO_CLIENT);
            CompletableFuture<Lease> first =
                    lock.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
            Await.until(
                    "Redis has the first reader", Waits.LONG, () -> server.cli().exists(name) == 1);
            Lease between = near.getReadWriteLock(name).readLock().acquire();
            CompletableFuture<Lease> later =
                    lock.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
            first.cancel(true);
            proxy.resetConnections();
            proxy.heal();

            assertThat(Waits.get(later).fencingToken()).isGreaterThan(between.fencingToken());
        }
        Await.until("nothing is left", Waits.LONG, () -> server.cli().exists(name) == 0);
    }
}
