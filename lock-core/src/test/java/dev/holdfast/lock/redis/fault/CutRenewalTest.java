package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A trouble that is over after half a lease costs nobody a lock. */
@Nightly(
        inEachBuild = "ReconnectingConnectionTest, SilentConnectionTest, LeaseTableTest, and outages in the simulation")
@Timeout(Await.TEST_SECONDS)
class CutRenewalTest {

    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int LOCKS = 10;

    private final RedisServer server = RedisServer.start();
    private final RecordingListener listener = new RecordingListener();

    @AfterEach
    void close() {
        server.close();
    }

    enum Trouble {
        /** The connection is reset, and new ones are refused. */
        RESET,
        DEAD_LINK,
        /** The first connection for commands and that for messages are half-open after a reset; the next are sound. */
        NO_ANSWER_TO_A_RECONNECTION
    }

    /** A client behind a proxy of its own. */
    private final class Side implements AutoCloseable {

        private final FaultProxy proxy = FaultProxy.to(server.port());
        private final Trouble trouble;
        private final ClientOwner.Opened opened;
        private final LockClient client;
        private final List<Lease> leases;

        Side(ClientOwner clientOwner, Trouble trouble) {
            this.trouble = trouble;
            opened = clientOwner.to(proxy.uri());
            client = RedisLockClient.builder(opened.source())
                    .checkAtStart(false)
                    .watchdogTimeout(LEASE)
                    .listener(listener)
                    .build();
            leases = Stream.generate(() -> client.getLock(Waits.name("cut")).acquire())
                    .limit(LOCKS)
                    .toList();
        }

        void begin() {
            switch (trouble) {
                case RESET -> proxy.refuseConnections();
                case DEAD_LINK -> proxy.blackHole();
                case NO_ANSWER_TO_A_RECONNECTION ->
                    proxy.swallowReplyOf(frame -> frame.isNamed("HELLO"), Then.STAY_SILENT);
            }
            if (trouble != Trouble.DEAD_LINK) {
                proxy.resetConnections();
            }
        }

        void end() {
            if (trouble != Trouble.NO_ANSWER_TO_A_RECONNECTION) {
                proxy.heal();
            }
        }

        /** A lease is renewed at a third, so after a renewal there is more left than there ever is after a missed one. */
        boolean isRenewed() {
            Duration fresh = LEASE.multipliedBy(3).dividedBy(4);
            return leases.stream().allMatch(lease -> lease.remaining().compareTo(fresh) > 0);
        }

        @Override
        public void close() {
            client.close();
            opened.close();
            proxy.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void troublesOfHalfALeaseCostNothing(ClientOwner clientOwner) {
        try (Side reset = new Side(clientOwner, Trouble.RESET);
                Side dead = new Side(clientOwner, Trouble.DEAD_LINK);
                Side unanswered = new Side(clientOwner, Trouble.NO_ANSWER_TO_A_RECONNECTION)) {
            List<Side> sides = List.of(reset, dead, unanswered);
            sides.forEach(Side::begin);
            Pause.of(LEASE.dividedBy(2));
            assertThat(sides).allMatch(side -> side.leases.stream().allMatch(Lease::isHeld));

            sides.forEach(Side::end);

            sides.forEach(side -> Await.until("all are renewed after " + side.trouble, LEASE, side::isRenewed));
            assertThat(listener.losses).isEmpty();
            for (Side side : sides) {
                for (Lease lease : side.leases) {
                    assertThat(server.cli().hget(lease.lockName(), "holdfast:token"))
                            .isEqualTo(Long.toString(lease.fencingToken()));
                    lease.close();
                }
            }
        }
    }
}
