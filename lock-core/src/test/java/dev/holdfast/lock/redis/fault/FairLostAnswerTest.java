package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis queues or grants, and the answer is lost on its way; or the question comes long after its sender has given it up. */
@Timeout(60)
class FairLostAnswerTest {

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final FairQueue queue = new FairQueue(server);
    private final LockClient other = Waits.client(server).build();
    private final LockClient client =
            Waits.client(proxy).commandTimeout(Duration.ofMillis(150)).build();

    @BeforeEach
    void connect() {
        client.getLock(queue.name() + "-warm").acquire(waiting(Waits.LONG)).close();
    }

    @AfterEach
    void close() {
        proxy.heal();
        client.close();
        other.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET", "STAY_SILENT"})
    void waiterKeepsItsOnePlace(Then then) {
        Lease held = queue.held(other);
        Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.fairAcquisitionOf(queue.name()), then);
        CompletableFuture<Lease> first = queue.queued(client);
        CompletableFuture<Lease> second = queue.queued(other);
        String place = queue.owners().get(0);
        swallowed.await();
        Await.until("it has asked again", Waits.LONG, () -> queue.millisLeft(place) > 4_000);

        assertThat(queue.owners()).hasSize(2).startsWith(place);
        // A client whose connection for messages has not come back yet is passed over.
        Waits.awaitListeners(server, queue.name(), 2);
        held.close();
        Lease lease = get(first);
        assertThat(second).isNotDone();
        lease.close();
        get(second).close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET", "STAY_SILENT"})
    void waiterIsGrantedOnceAndLeavesNothing(Then then) {
        Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.fairAcquisitionOf(queue.name()), then);

        Lease lease = queue.held(client);

        assertThat(swallowed.hasStruck()).isTrue();
        assertThat(server.cli().hget(queue.name(), "holdfast:token")).isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(server.cli().hlen(queue.name())).isEqualTo(4);
        lease.close();
        assertThat(server.cli().exists(queue.name())).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET", "STAY_SILENT"})
    void waiterWhoseTimeEndsWithoutAnAnswerLeavesTheQueue(Then then) {
        Lease held = queue.held(other);
        Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.fairAcquisitionOf(queue.name()), then);
        CompletableFuture<Lease> waiter = queue.wanted(client, waiting(Duration.ofMillis(100)));

        assertThatThrownBy(waiter::join).isNotNull();

        swallowed.await();
        queue.awaitGone();
        assertThat(held.verify()).isTrue();
        held.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET", "STAY_SILENT"})
    void singleTryThatWasGrantedIsTakenBackLongBeforeItsLeaseEnds(Then then) {
        Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.fairAcquisitionOf(queue.name()), then);

        assertThatThrownBy(() -> queue.lock(client).tryLock()).isInstanceOf(LockUnavailableException.class);

        swallowed.await();
        Await.until("it is free", Duration.ofSeconds(5), () -> server.cli().exists(queue.name()) == 0);
    }

    @Test
    void questionsThatRunLateAreTakenBackOnceTheLockIsReleased() {
        for (int round = 0; round < 3; round++) {
            proxy.holdBack();
            CompletableFuture<Lease> wanted = queue.wanted(client, waiting(Waits.LONG));
            Pause.of(Duration.ofMillis(500));
            proxy.heal();

            get(wanted).close();

            Lease next = queue.held(other);
            assertThat(next.verify()).isTrue();
            next.close();
            queue.awaitGone();
        }
    }

    /** As a question does that was stuck somewhere in the network. */
    @Test
    void questionThatRunsAfterTheReleaseHoldsTheLockForAMomentOnly() {
        Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.fairAcquisitionOf(queue.name()), Then.CLOSE);
        Lease lease = queue.held(client);
        swallowed.await();
        String owner = other.inspect(queue.name()).orElseThrow().owner();
        var state = server.cli().hgetall(queue.name());
        lease.close();

        server.cli().hset(queue.name(), state);
        server.cli().pexpire(queue.name(), 20_000);

        assertThat(state).containsKey(owner);
        Await.until("it is free", Duration.ofSeconds(3), () -> server.cli().exists(queue.name()) == 0);
    }
}
