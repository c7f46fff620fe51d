package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A trouble that is over after half a lease costs nobody a lock. */
@Timeout(60)
class CutRenewalTest {

    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int LOCKS = 20;

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final RecordingListener listener = new RecordingListener();
    private final String name = "cut-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private void outliveHalfALease(ClientOwner clientOwner, Runnable trouble, Runnable repair) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .watchdogTimeout(LEASE)
                        .listener(listener)
                        .build()) {
            List<Lease> leases = IntStream.range(0, LOCKS)
                    .mapToObj(i -> client.getLock(name + i).acquire())
                    .toList();
            trouble.run();
            Pause.of(LEASE.dividedBy(2));
            assertThat(leases).allMatch(Lease::isHeld);
            repair.run();
            awaitRenewal(leases);
            assertThat(listener.losses).isEmpty();
            for (Lease lease : leases) {
                assertThat(server.cli().hget(lease.lockName(), "holdfast:token"))
                        .isEqualTo(Long.toString(lease.fencingToken()));
                lease.close();
            }
        }
    }

    /** A lease is renewed at a third, so after a renewal there is more left than there ever is after a missed one. */
    private static void awaitRenewal(List<Lease> leases) {
        Duration fresh = LEASE.multipliedBy(3).dividedBy(4);
        Await.until(
                "all are renewed",
                LEASE,
                () -> leases.stream().allMatch(lease -> lease.remaining().compareTo(fresh) > 0));
    }

    @ParameterizedTest
    @EnumSource
    void connectionIsResetAndRefused(ClientOwner clientOwner) {
        outliveHalfALease(
                clientOwner,
                () -> {
                    proxy.refuseConnections();
                    proxy.resetConnections();
                },
                proxy::heal);
    }

    @ParameterizedTest
    @EnumSource
    void linkIsDead(ClientOwner clientOwner) {
        outliveHalfALease(clientOwner, proxy::blackHole, proxy::heal);
    }

    @ParameterizedTest
    @EnumSource
    void reconnectionGetsNoAnswer(ClientOwner clientOwner) {
        outliveHalfALease(
                clientOwner,
                () -> {
                    // The first connection for commands and that for signals are half-open; the next are sound.
                    proxy.swallowReplyOf(frame -> frame.isNamed("HELLO"), Then.STAY_SILENT);
                    proxy.swallowReplyOf(frame -> frame.isNamed("HELLO"), Then.STAY_SILENT);
                    proxy.resetConnections();
                },
                () -> {});
    }
}
