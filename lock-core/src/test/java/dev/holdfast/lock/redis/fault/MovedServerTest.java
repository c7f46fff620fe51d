package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.MovingName;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A service moves its name to another server. */
@Timeout(Await.TEST_SECONDS)
class MovedServerTest {

    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration NO_POLL = Duration.ofMinutes(5);

    private final String name = Waits.name("moved");
    private final RecordingListener listener = new RecordingListener();

    private static RedisLockClientBuilder client(MovingName address) {
        return RedisLockClient.builder(RedisSource.of(address.uri()).withResources(address.resources()))
                .checkAtStart(false);
    }

    /** How the server before stops being the master. */
    enum Move {
        /** Its replica is promoted, the name moves, all connections are cut. */
        CONNECTIONS_ARE_CUT {
            @Override
            void run(RedisServer master, RedisServer replica, MovingName address) {
                replica.cli().replicaofNoOne();
                address.moveTo(replica);
                cut(master);
            }
        },
        /** The same, but connections for messages stay, so they would bring nothing any more. */
        CONNECTIONS_FOR_COMMANDS_ARE_CUT {
            @Override
            void run(RedisServer master, RedisServer replica, MovingName address) {
                replica.cli().replicaofNoOne();
                address.moveTo(replica);
                master.clientKill(ClientType.NORMAL);
            }
        },
        /** It becomes a replica of the other one, and keeps its connections. */
        MASTER_IS_DEMOTED {
            @Override
            void run(RedisServer master, RedisServer replica, MovingName address) {
                replica.cli().replicaofNoOne();
                address.moveTo(replica);
                master.cli().replicaof("127.0.0.1", replica.port());
            }
        },
        /** The name leads to the replica before the replica is promoted. */
        NAME_MOVES_FIRST {
            @Override
            void run(RedisServer master, RedisServer replica, MovingName address) {
                address.moveTo(replica);
                cut(master);
                try (LockClient newcomer = client(address).build()) {
                    assertThatThrownBy(() -> newcomer.getLock("any").acquire(Waits.waiting(Duration.ofSeconds(1))))
                            .isInstanceOf(LockUnavailableException.class)
                            .hasMessageContaining("is a replica");
                    replica.cli().replicaofNoOne();
                    Waits.held(newcomer, "any").close();
                }
            }
        };

        abstract void run(RedisServer master, RedisServer replica, MovingName address);

        private static void cut(RedisServer server) {
            server.clientKill(ClientType.NORMAL);
            server.clientKill(ClientType.PUBSUB);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leasesAndWaitersSurvive(Move move) {
        try (RedisReplication group = RedisReplication.start(1);
                MovingName address = MovingName.of(group.master());
                LockClient holder = client(address)
                        .watchdogTimeout(LEASE)
                        .listener(listener)
                        .build();
                LockClient waiter =
                        client(address).pollInterval(NO_POLL).listener(listener).build()) {
            RedisServer replica = group.replicas().get(0);
            List<Lease> leases = List.of(Waits.held(holder, name), Waits.held(holder, name + "-other"));
            CompletableFuture<Lease> wanted = Waits.wanted(waiter, name);
            Waits.awaitListeners(group.master(), name, 1);
            group.awaitReplicated();

            move.run(group.master(), replica, address);

            Waits.awaitRenewals(holder, 3 * leases.size());
            assertThat(leases)
                    .allMatch(Lease::verify)
                    .allMatch(lease -> replica.cli().exists(lease.lockName()) == 1);
            Waits.awaitListeners(replica, name, 1);
            leases.forEach(Lease::close);
            Waits.get(wanted).close();
            assertThat(listener.losses).isEmpty();
        }
    }

    @Test
    void replicaThatDoesNotKnowALeaseDoesNotEndIt() {
        try (RedisReplication group = RedisReplication.start(1);
                MovingName address = MovingName.of(group.master());
                LockClient client = client(address)
                        .watchdogTimeout(LEASE)
                        .listener(listener)
                        .build()) {
            RedisServer replica = group.replicas().get(0);
            // Replicates from nobody now, and stays a replica.
            replica.cli().replicaof("127.0.0.1", 1);
            Lease lease = Waits.held(client, name);

            address.moveTo(replica);
            group.master().clientKill(ClientType.NORMAL);
            Await.until(
                    "a renewal was not confirmed",
                    Waits.LONG,
                    () -> listener.troubles.get() + listener.losses.size() > 0);
            assertThat(listener.losses).isEmpty();
            address.moveTo(group.master());

            Waits.awaitRenewals(client, 1);
            assertThat(lease.verify()).isTrue();
            lease.close();
        }
    }

    @Test
    void acquisitionsThatReplicasConfirmMoveWithTheOthers() {
        try (RedisReplication old = RedisReplication.start(1);
                RedisReplication next = RedisReplication.start(1);
                MovingName address = MovingName.of(old.master());
                LockClient client = client(address).minReplicas(1).build()) {
            Waits.held(client, name).close();

            address.moveTo(next.master());
            killThoseThatDidNotWait(old.master());

            Await.until("locks are where the name leads", Waits.LONG, () -> {
                try (Lease lease = Waits.held(client, name)) {
                    return next.master().cli().exists(name) == 1 && lease.isHeld();
                }
            });
        }
    }

    /** Leaves the connection on which replicas were awaited. */
    private static void killThoseThatDidNotWait(RedisServer server) {
        server.cli()
                .clientList()
                .lines()
                .filter(line ->
                        line.contains(" flags=N ") && !line.contains(" cmd=wait ") && !line.contains(" cmd=client"))
                .map(line -> Long.valueOf(line.replaceFirst("id=(\\d+) .*", "$1")))
                .forEach(id -> server.cli().clientKill(KillArgs.Builder.id(id)));
    }
}
