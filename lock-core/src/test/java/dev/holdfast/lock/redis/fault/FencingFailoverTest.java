package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FencingFailoverTest {

    private static final int GRANTS = 500;

    @Test
    void tokensGrowOverAFailoverToAReplicaThatMissedTheLastOnes() {
        try (RedisSentinels group = RedisSentinels.start();
                LockClient before = client(group);
                LockClient after = client(group)) {
            String name = name("failover");
            List<Long> tokens = new ArrayList<>();
            draw(before, name, tokens, 1);
            RedisServer master = group.master();
            master.cli().waitForReplication(2, 5_000);
            group.cutReplication();
            draw(before, name, tokens, GRANTS);
            long lastKnown = Long.parseLong(master.cli().get(LockKeys.TOKEN_KEY));

            master.kill();
            RedisServer promoted = group.awaitNewMaster(master);

            assertThat(Long.parseLong(promoted.cli().get(LockKeys.TOKEN_KEY))).isLessThan(lastKnown);
            // The newcomer first: it has not seen what was drawn before.
            draw(after, name, tokens, GRANTS);
            draw(before, name, tokens, GRANTS);
            assertThat(tokens).hasSize(1 + 3 * GRANTS).isSorted().doesNotHaveDuplicates();
        }
    }

    private static LockClient client(RedisSentinels group) {
        return RedisLockClient.builder(RedisSource.of(group.uri()))
                .checkAtStart(false)
                .commandTimeout(Duration.ofMillis(600))
                .build();
    }

    private static void draw(LockClient client, String name, List<Long> tokens, int count) {
        for (int i = 0; i < count; i++) {
            try (Lease lease = held(client, name)) {
                tokens.add(lease.fencingToken());
            }
        }
    }
}
