package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sentinels promote a replica while locks are held and wanted. */
@Timeout(Await.TEST_SECONDS)
class FailoverTest {

    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private static final int GRANTS = 200;

    /** Few, because a replica that has been cut off for ten seconds is not promoted. */
    private static final int FORGOTTEN_GRANTS = 100;

    private final RecordingListener listener = new RecordingListener();

    @Test
    void keepsWhatWasReplicatedTellsOfWhatWasForgottenAndRepeatsNoToken() {
        try (RedisSentinels redis = RedisSentinels.start();
                LockClient client = Waits.client(RedisSource.of(redis.uri()))
                        .watchdogTimeout(Duration.ofSeconds(6))
                        .listener(listener)
                        .build();
                ClientOwner.Opened application = ClientOwner.APPLICATION.to(redis.uri());
                LockClient newcomer = Waits.client(application.source()).build()) {
            // The replicas know nothing of later renewals, so this lease has to outlive the failover.
            Lease kept = client.getLock("kept")
                    .acquire(AcquireOptions.defaults()
                            .lease(Duration.ofMinutes(2))
                            .renewed());
            redis.master().cli().waitForReplication(2, 2_000);
            redis.cutReplication();
            Lease forgotten = client.getLock("forgotten").acquire();
            List<Long> tokens = new ArrayList<>(List.of(kept.fencingToken(), forgotten.fencingToken()));
            draw(client, FORGOTTEN_GRANTS, tokens);
            RedisServer old = redis.master();
            long lastKnown = Long.parseLong(old.cli().get(LockKeys.TOKEN_KEY));
            redis.failover();
            Await.until(
                    "the old master knows, too",
                    Await.PATIENCE,
                    () -> old.info("replication").get("role").equals("slave"));

            assertThat(Long.parseLong(redis.master().cli().get(LockKeys.TOKEN_KEY)))
                    .isLessThan(lastKnown);
            // The newcomer first: it has not seen what was drawn before.
            draw(newcomer, GRANTS, tokens);
            draw(client, GRANTS, tokens);
            assertThat(tokens)
                    .hasSize(2 + FORGOTTEN_GRANTS + 2 * GRANTS)
                    .isSorted()
                    .doesNotHaveDuplicates();

            Lease next = client.getLock("next").acquire(PATIENT);
            assertThat(redis.master().cli().hget("next", "holdfast:token"))
                    .isEqualTo(Long.toString(next.fencingToken()));
            listener.awaitLosses(1);
            assertThat(listener.losses).extracting(LeaseLoss::lockName).containsExactly("forgotten");
            assertThat(listener.losses).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
            assertThatThrownBy(forgotten::close).isInstanceOf(LeaseLostException.class);
            assertThat(kept.verify()).isTrue();
            kept.close();
            next.close();
        }
    }

    private static void draw(LockClient client, int grants, List<Long> tokens) {
        for (int i = 0; i < grants; i++) {
            try (Lease lease = client.getLock("drawn").acquire(PATIENT)) {
                tokens.add(lease.fencingToken());
            }
        }
    }
}
