package dev.holdfast.lock.redis.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Permits beside a network that loses answers and messages, and beside holders that died. */
@Timeout(60)
class SemaphoreFaultsTest {

    private static final int PERMITS = 2;
    private static final AcquireOptions PATIENT = Waits.waiting(Waits.LONG);

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final LockClient stable = Waits.client(server).build();
    private final LockClient shaky =
            Waits.client(proxy).commandTimeout(Duration.ofMillis(150)).build();
    private final String name = Waits.name("faults");

    @AfterEach
    void close() {
        shaky.close();
        stable.close();
        proxy.close();
    }

    private LeaseSemaphore stable() {
        return stable.getSemaphore(name, PERMITS);
    }

    private LeaseSemaphore shaky() {
        return shaky.getSemaphore(name, PERMITS);
    }

    private Strike swallow(String script, Then then) {
        return proxy.swallowReplyOf(ScriptTraffic.of(script).and(request -> request.contains(name)), then);
    }

    @ParameterizedTest
    @EnumSource(
            value = Then.class,
            names = {"CLOSE", "RESET", "STAY_SILENT"})
    void lostAnswerToAnAcquisitionTakesOnePermit(Then then) {
        for (int round = 0; round < (then == Then.STAY_SILENT ? 3 : 10); round++) {
            Strike swallowed = swallow("semaphore-acquire", then);

            Lease lease = shaky().acquire(PATIENT);

            assertThat(swallowed.hasStruck()).isTrue();
            assertThat(stable().availablePermits()).isEqualTo(PERMITS - 1);
            lease.close();
            assertThat(server.cli().exists(name)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Then.class,
            names = {"CLOSE", "RESET", "STAY_SILENT"})
    void lostAnswerToAReleaseFreesOnePermitAndIsNoLoss(Then then) {
        for (int round = 0; round < (then == Then.STAY_SILENT ? 3 : 10); round++) {
            Lease lease = shaky().acquire(PATIENT);
            Lease other = stable().acquire(PATIENT);
            Strike swallowed = swallow("semaphore-release", then);

            lease.close();

            swallowed.await();
            Await.until("it is free", TwoClients.PATIENCE, () -> stable().availablePermits() == 1);
            assertThat(other.verify()).isTrue();
            other.close();
        }
    }

    @Test
    void lostMessageCostsAPollAndNoPermit() {
        Lease first = stable().acquire(PATIENT);
        Lease second = stable().acquire(PATIENT);
        proxy.dropPushes(frame -> frame.isNamed("MESSAGE"));
        CompletableFuture<Lease> next = shaky().acquireAsync(PATIENT).toCompletableFuture();
        Waits.awaitListeners(server, name, 1);

        first.close();

        try (Lease lease = Waits.get(next)) {
            assertThat(lease.verify()).isTrue();
            assertThat(second.verify()).isTrue();
            assertThat(stable().availablePermits()).isZero();
        }
        second.close();
        assertThat(server.cli().exists(name)).isZero();
    }

    @Test
    void permitsOfAClientThatIsCutOffComeBackWhenTheirLeasesEnd() {
        List<Lease> cut = List.of(
                shaky().acquire(PATIENT.lease(Duration.ofMillis(1_500))),
                shaky().acquire(PATIENT.lease(Duration.ofMillis(1_500))));
        CompletableFuture<Lease> next = stable().acquireAsync(PATIENT).toCompletableFuture();
        CompletableFuture<Lease> afterIt = stable().acquireAsync(PATIENT).toCompletableFuture();
        proxy.blackHole();

        Lease lease = Waits.get(next);

        assertThat(cut).noneMatch(Lease::isHeld);
        Waits.get(afterIt).close();
        lease.close();
    }

    @Test
    void abandonedWaiterCostsNothingAfterItsDeadline() {
        Lease first = stable().acquire(PATIENT);
        Lease second = stable().acquire(PATIENT);
        CompletableFuture<Lease> dead = shaky().acquireAsync(PATIENT).toCompletableFuture();
        Waits.awaitListeners(server, name, 1);
        CompletableFuture<Lease> behind = stable().acquireAsync(PATIENT).toCompletableFuture();
        Waits.awaitListeners(server, name, 2);
        proxy.refuseConnections();
        proxy.resetConnections();
        Waits.awaitListeners(server, name, 1);

        first.close();

        Waits.get(behind).close();
        second.close();
        assertThat(dead).isNotDone();
    }
}
