package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client closes: nothing new, waiters go, holders may finish. */
interface ClosingContract extends ContractPart {

    @Test
    @Tag("reach")
    default void closedClientGivesBackWhatIsHeldAndTellsTheHolder() {
        String name = clients().name();
        LockClient client = clients().client().build();
        Lease lease = clients().lock(client, name).acquire();
        clients().lock(client, name + "-thread").lock();
        client.close();
        assertThat(clients().isInRedis(name)).isFalse();
        assertThat(clients().isInRedis(name + "-thread")).isFalse();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.CLOSED));
        assertThatThrownBy(clients().lock(client, name + "-thread")::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @Tag("reach")
    default void closedClientAcquiresNothingAndSaysSo() {
        String name = clients().name();
        LockClient client = clients().client().build();
        client.close();
        assertThatThrownBy(clients().lock(client, name)::lock)
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContainingAll(name, "closed");
        assertThatThrownBy(clients().lock(client, name)::tryLock).isInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(clients().lock(client, name)::acquire).isInstanceOf(LockUnavailableException.class);
        assertThat(clients().lock(client, name).acquireAsync(AcquireOptions.defaults()))
                .failsWithin(TwoClients.PATIENCE)
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(() -> client.inspect(name)).isInstanceOf(LockUnavailableException.class);
        client.close();
    }

    /** While the client closes, the holder goes on, and nobody else gets a lock. */
    @Test
    @Tag("reach")
    default void graceLetsHoldersFinish() throws Exception {
        String name = clients().name();
        LockClient client = clients().client().build();
        Lease lease = clients().lock(client, name).acquire();
        try (ScriptedThread closer = new ScriptedThread();
                ScriptedThread waiter = new ScriptedThread()) {
            var waiting = waiter.start(() -> clients().excluding(client, name).acquire());
            clients().awaitWaiting(client, name, 1);
            var closed = closer.start(() -> {
                client.close(Duration.ofSeconds(20));
                return System.nanoTime();
            });
            assertThatThrownBy(() -> ScriptedThread.outcome(waiting))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContainingAll(name, "closed");
            assertThatThrownBy(() -> clients().lock(client, name + "-new").tryLock())
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(lease.verify()).isTrue();
            assertThat(closed).isNotDone();
            lease.close();
            ScriptedThread.outcome(closed);
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void graceEnds() {
        String name = clients().name();
        LockClient client = clients().client().build();
        Lease lease = clients().lock(client, name).acquire();
        long start = System.nanoTime();
        client.close(Duration.ofMillis(200));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(200), TwoClients.PATIENCE);
        assertThat(lease.isHeld()).isFalse();
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void interruptedThreadClosesToTheEnd() {
        String name = clients().name();
        LockClient client = clients().client().build();
        clients().lock(client, name).lock();
        Thread.currentThread().interrupt();
        client.close(Duration.ofSeconds(20));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(clients().isInRedis(name)).isFalse();
    }
}
