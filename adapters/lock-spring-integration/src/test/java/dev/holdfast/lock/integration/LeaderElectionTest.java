package dev.holdfast.lock.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

class LeaderElectionTest {

    private final String role = "role-" + UUID.randomUUID();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Instance first = new Instance("first");
    private final Instance second = new Instance("second");

    @AfterEach
    void stop() {
        first.stop();
        second.stop();
    }

    @Test
    void oneInstanceLeadsAndTheOtherTakesOver() throws InterruptedException {
        first.leader.start();
        assertThat(next()).isEqualTo("first granted");
        second.leader.start();
        first.leader.stop();
        // Spring Integration unlocks before it calls onRevoked, on a thread of each instance.
        assertThat(Arrays.asList(next(), next())).containsExactlyInAnyOrder("first revoked", "second granted");
    }

    /** Its next heartbeat acquires the lock again. It must not release that hold, and lead without a lock. */
    @Test
    void leaderWhoseLeaseWasLostIsRevokedBeforeItLeadsAgain() throws InterruptedException {
        first.leader.start();
        assertThat(next()).isEqualTo("first granted");
        assertThat(second.client.forceRelease("integration:" + role)).isTrue();
        assertThat(next()).isEqualTo("first revoked");
        assertThat(next()).isEqualTo("first granted");
        assertThat(second.client.inspect("integration:" + role)).isPresent();
    }

    private String next() throws InterruptedException {
        return events.poll(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private final class Instance {
        final LockClient client = RedisLockClient.builder(
                        RedisSource.of(RedisServer.shared().uri()))
                .watchdogTimeout(Duration.ofSeconds(6))
                .build();
        final LockRegistryLeaderInitiator leader;

        Instance(String name) {
            leader =
                    new LockRegistryLeaderInitiator(new HoldfastLockRegistry(client), new DefaultCandidate(name, role) {
                        @Override
                        public void onGranted(Context context) {
                            events.add(name + " granted");
                        }

                        @Override
                        public void onRevoked(Context context) {
                            events.add(name + " revoked");
                        }
                    });
            leader.setHeartBeatMillis(200);
        }

        void stop() {
            leader.destroy();
            client.close();
        }
    }
}
