package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each event says of the lock that it happened to. */
@Timeout(60)
class LockEventsTest {

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final String name = Waits.name("told");
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final LockClient client = Waits.client(proxy)
            .commandTimeout(Duration.ofSeconds(1))
            .watchdogTimeout(Duration.ofSeconds(3))
            .handOver(32, Duration.ofSeconds(10))
            .listener(new LockListener() {
                @Override
                public void onEvent(LockEvent event) {
                    events.add(event);
                }
            })
            .build();

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    private <E extends LockEvent> E heard(Class<E> kind, int which) {
        Await.until(
                kind.getSimpleName() + " is told",
                TwoClients.PATIENCE,
                () -> events.stream().filter(kind::isInstance).count() > which);
        E event = events.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .skip(which)
                .findFirst()
                .orElseThrow();
        assertThat(event.lockName()).isEqualTo(name);
        assertThat(event.kind()).isEqualTo(LockKind.REENTRANT);
        return event;
    }

    @Test
    void leaseThatIsPassedOnIsHandedOverByOneAndTakenOverByTheOther() {
        Lease first = Waits.held(client, name);
        var second = Waits.wanted(client, name);
        TwoClients.awaitWaiters(client, name, 1);
        first.close();
        Waits.get(second).close();

        assertThat(heard(LockEvent.Acquired.class, 0).takenOver()).isFalse();
        assertThat(heard(LockEvent.Released.class, 0).handedOver()).isTrue();
        assertThat(heard(LockEvent.Acquired.class, 1).takenOver()).isTrue();
        assertThat(heard(LockEvent.Released.class, 1).handedOver()).isFalse();
    }

    @Test
    void busyLockIsATimeOut() {
        server.cli().hset(name, "elsewhere:1", "1");
        server.cli().pexpire(name, 30_000);
        Duration wait = Duration.ofMillis(50);
        assertThat(client.getLock(name).tryAcquire(Waits.waiting(wait))).isEmpty();
        assertThat(heard(LockEvent.TimedOut.class, 0).waited()).isGreaterThanOrEqualTo(wait);
    }

    @Test
    void acquisitionWithoutAnAnswerIsUnavailableAndTakenBack() {
        Waits.held(client, name).close();
        var swallowed = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name), Then.STAY_SILENT);
        assertThatThrownBy(() -> client.getLock(name).acquire(Waits.waiting(Duration.ZERO)))
                .isInstanceOf(LockUnavailableException.class);
        assertThat(swallowed.hasStruck()).isTrue();
        assertThat(heard(LockEvent.Unavailable.class, 0).problem()).isInstanceOf(LockUnavailableException.class);
        assertThat(heard(LockEvent.TakenBack.class, 0).problem()).hasMessageContaining("no answer");
        assertThat(heard(LockEvent.TakenBack.class, 0).owner()).matches("[-\\w]{22}:\\d+:\\d+");
    }

    @Test
    void waitThatTheClosingEndsIsNotUnavailable() {
        Lease held = Waits.held(client, name);
        var wanted = Waits.wanted(client, name);
        TwoClients.awaitWaiters(client, name, 1);
        client.close();
        assertThatThrownBy(() -> Waits.get(wanted)).hasCauseInstanceOf(LockUnavailableException.class);
        assertThat(heard(LeaseLoss.class, 0).fencingToken()).isEqualTo(held.fencingToken());
        assertThat(events).noneMatch(LockEvent.Unavailable.class::isInstance);
    }

    @Test
    void outageIsRenewalTroubleAndThenALoss() {
        Lease held = client.getLock(name).acquire(AcquireOptions.defaults());
        proxy.blackHole();
        var trouble = heard(LockEvent.RenewalTrouble.class, 0);
        assertThat(trouble.fencingToken()).isEqualTo(held.fencingToken());
        assertThat(trouble.remaining()).isPositive();
        assertThat(heard(LeaseLoss.class, 0).probableCause()).contains("Redis failed");
        proxy.heal();
    }
}
