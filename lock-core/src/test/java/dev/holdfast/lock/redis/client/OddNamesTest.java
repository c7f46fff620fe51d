package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are odd and allowed lock and wake like any other, and cannot forge a line of a log. */
class OddNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{tenant}:job",
                "\u0000",
                "*3\r\n$8\r\nFLUSHALL\r\n",
                "ä€😀",
                "}a{b}c{",
                "{a}{ b",
                "\u001b[2J\u2028x"
            })
    void oddNameLocksAndWakes(String odd) throws Exception {
        String name = odd + UUID.randomUUID();
        var source = RedisSource.of(RedisServer.shared().uri());
        try (LockClient here = Waits.client(source).build();
                LockClient there = Waits.still(Waits.client(source)).build();
                ScriptedThread waiter = new ScriptedThread()) {
            Lease lease = here.getLock(name).acquire();
            assertThatThrownBy(() -> there.getLock(name)
                            .acquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                    .satisfies(busy -> assertThat(busy.getMessage().chars()).noneMatch(Character::isISOControl));
            var granted = waiter.start(() -> there.getLock(name).acquire());
            TwoClients.awaitWaiters(there, name, 1);
            lease.close();
            Lease next = ScriptedThread.outcome(granted);
            assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                    .satisfies(late -> assertThat(late.getMessage().chars()).noneMatch(Character::isISOControl));
            assertThat(here.inspect(name))
                    .hasValueSatisfying(
                            state -> assertThat(state.holder().fencingToken()).hasValue(next.fencingToken()));
            next.close();
            assertThat(here.inspect(name)).isEmpty();
        }
    }
}
