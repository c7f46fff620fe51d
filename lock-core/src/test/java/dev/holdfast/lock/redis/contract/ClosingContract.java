package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.Stage;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client closes: nothing new, waiters go, holders may finish. */
interface ClosingContract extends OnStage {

    @Test
    @Tag("reach")
    default void closedClientGivesBackWhatIsHeldAndTellsTheHolder() {
        String name = on().name();
        LockClient client = on().client().build();
        Lease lease = on().lock(client, name).acquire();
        on().lock(client, name + "-thread").lock();
        client.close();
        assertThat(on().isInRedis(name)).isFalse();
        assertThat(on().isInRedis(name + "-thread")).isFalse();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.CLOSED));
        assertThatThrownBy(on().lock(client, name + "-thread")::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @Tag("reach")
    default void closedClientAcquiresNothingAndSaysSo() {
        String name = on().name();
        LockClient client = on().client().build();
        client.close();
        assertThatThrownBy(on().lock(client, name)::lock)
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContainingAll(name, "closed");
        assertThatThrownBy(on().lock(client, name)::tryLock).isInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(on().lock(client, name)::acquire).isInstanceOf(LockUnavailableException.class);
        assertThat(on().lock(client, name).acquireAsync(AcquireOptions.defaults()))
                .failsWithin(Stage.PATIENCE)
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(() -> client.inspect(name)).isInstanceOf(LockUnavailableException.class);
        client.close();
    }

    @Test
    @Tag("reach")
    default void graceLetsHoldersFinish() throws Exception {
        verifyGrace(lease -> assertThat(lease.verify()).isTrue());
    }

    @Test
    default void graceRenewsTheHolders() throws Exception {
        verifyGrace(Stage::awaitRenewal);
    }

    /** While the client closes, the holder goes on, and nobody else gets a lock. */
    private void verifyGrace(Consumer<Lease> meanwhile) throws Exception {
        String name = on().name();
        LockClient client = on().client().build();
        Lease lease = on().lock(client, name).acquire();
        try (Actor closer = new Actor();
                Actor waiter = new Actor()) {
            var waiting = waiter.begins(() -> on().rival(client, name).acquire());
            on().awaitWaiting(client, name, 1);
            var closed = closer.begins(() -> {
                client.close(Duration.ofSeconds(20));
                return System.nanoTime();
            });
            assertThatThrownBy(() -> Actor.outcome(waiting))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContainingAll(name, "closed");
            assertThatThrownBy(() -> on().lock(client, name + "-new").tryLock())
                    .isInstanceOf(LockUnavailableException.class);
            meanwhile.accept(lease);
            assertThat(closed).isNotDone();
            lease.close();
            Actor.outcome(closed);
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void graceEnds() {
        String name = on().name();
        LockClient client = on().client().build();
        Lease lease = on().lock(client, name).acquire();
        long start = System.nanoTime();
        client.close(Duration.ofMillis(200));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(200), Stage.PATIENCE);
        assertThat(lease.isHeld()).isFalse();
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void interruptedThreadClosesToTheEnd() {
        String name = on().name();
        LockClient client = on().client().build();
        on().lock(client, name).lock();
        Thread.currentThread().interrupt();
        client.close(Duration.ofSeconds(20));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(on().isInRedis(name)).isFalse();
    }
}
