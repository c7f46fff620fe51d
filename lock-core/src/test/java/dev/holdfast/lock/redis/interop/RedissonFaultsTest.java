package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is known to go wrong with Redisson's locks and is not shown of ours elsewhere. The whole list is in {@code
 * docs/lab/redisson-faults.md}.
 */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class RedissonFaultsTest {

    private static final Set<ContractKind> OF_TWO_SIDES = Set.of(ContractKind.READ, ContractKind.WRITE);
    private static final Set<ContractKind> PLAIN =
            Set.of(ContractKind.REENTRANT, ContractKind.MULTI, ContractKind.COMPOSITE);

    private final RedisServer server = RedisServer.shared();

    @AutoClose
    private final LockClient client = Waits.client(server).build();

    /** Redisson keeps the last lease in the lock object: a lock without one was seen with 98 ms, and with an hour. */
    @Test
    void leasesOfOneLockObjectDoNotMix() throws Exception {
        String name = Waits.name("mixed");
        LeaseLock lock = client.getLock(name);
        try (ScriptedThread other = new ScriptedThread()) {
            for (Duration foreign : new Duration[] {Duration.ofHours(1), Duration.ofSeconds(5)}) {
                lock.lock();
                var waiting = other.start(() -> {
                    lock.lock(foreign);
                    return server.cli().pttl(name);
                });
                TwoClients.awaitWaiters(client, name, 1);
                assertThat(server.cli().pttl(name)).isBetween(20_000L, 30_000L);
                lock.unlock();
                assertThat(ScriptedThread.outcome(waiting)).isGreaterThan(3_000);
                other.run(lock::unlock);
                lock.lock();
                assertThat(server.cli().pttl(name)).isBetween(20_000L, 30_000L);
                lock.unlock();
            }
        }
    }

    /** Redisson waits for one replica of those that are there, and for none where none is. */
    @Test
    void replicasThatAreNotThereAreMissed() {
        String name = Waits.name("unreplicated");
        try (LockClient strict = Waits.client(server)
                .commandTimeout(Duration.ofMillis(500))
                .minReplicas(1)
                .build()) {
            AcquireOptions briefly = AcquireOptions.defaults().waitAtMost(Duration.ofMillis(200));
            assertThatThrownBy(() -> strict.getLock(name).acquire(briefly))
                    .isInstanceOf(LockUnavailableException.class);
        }
        assertThat(server.cli().exists(name)).isZero();
    }

    static Stream<Arguments> differentKinds() {
        return Arrays.stream(ContractKind.values())
                .flatMap(held -> Arrays.stream(ContractKind.values())
                        .filter(wanted -> !areOneKind(held, wanted))
                        .map(wanted -> Arguments.of(held, wanted)));
    }

    private static boolean areOneKind(ContractKind held, ContractKind wanted) {
        List<ContractKind> both = List.of(held, wanted);
        return held == wanted || OF_TWO_SIDES.containsAll(both) || PLAIN.containsAll(both);
    }

    /** Redisson's writer looks only at the mode and enters beside a plain lock of the same name. */
    @ParameterizedTest
    @MethodSource("differentKinds")
    void nameThatIsHeldAsAnotherKindIsRefused(ContractKind held, ContractKind wanted) throws Exception {
        String name = Waits.name("kinds");
        LeaseLock lock = held.lock(client, name);
        lock.lock();
        try (ScriptedThread other = new ScriptedThread()) {
            assertThatThrownBy(() -> other.run(() -> wanted.lock(client, name).tryLock()))
                    .isInstanceOf(WrongLockKindException.class)
                    .hasMessageContainingAll("held as", name);
        }
        lock.unlock();
        assertThat(server.cli().keys("*" + name + "*")).isEmpty();
    }
}
