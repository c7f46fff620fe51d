package dev.holdfast.lock.redis.interop;

import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENT;
import static dev.holdfast.lock.redis.fixture.GraceClients.awaitOpen;
import static dev.holdfast.lock.redis.fixture.GraceClients.end;
import static dev.holdfast.lock.redis.fixture.GraceClients.isRefusedForNow;
import static dev.holdfast.lock.redis.fixture.GraceClients.open;
import static dev.holdfast.lock.redis.fixture.GraceClients.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients with a failover grace beside clients that keep none, in one Redis that forgets its locks. */
@Timeout(Await.TEST_SECONDS)
class GraceBesideOthersTest {

    private final RedisServer server = RedisServer.start();
    private final String name = Waits.name("grace-beside");
    private LockClient holder;

    @BeforeEach
    void start() {
        open(server);
        holder = with(Waits.client(server)).build();
    }

    @AfterEach
    void close() {
        holder.close();
        server.close();
    }

    /** A client that keeps no grace. */
    enum Other {
        REDISSON {
            @Override
            Use use(RedisServer server) {
                RedissonClientFixture client = RedissonClientFixture.of(server);
                return new Use(
                        name -> client.call(
                                () -> client.redisson().getLock(name).tryLock()),
                        client);
            }
        },
        PREVIOUS_VERSION {
            @Override
            Use use(RedisServer server) {
                Versions versions = new Versions(List.of(server.uri()), key -> server);
                VersionedInstance client = versions.openWithShortLeases(Versions.Version.PREVIOUS);
                return new Use(
                        name -> client.tryAcquire(VersionedInstance.Form.PLAIN, name)
                                .isPresent(),
                        versions);
            }
        },
        WITHOUT_A_GRACE {
            @Override
            Use use(RedisServer server) {
                LockClient client = Waits.client(server).build();
                return new Use(name -> client.getLock(name).tryAcquire().isPresent(), client);
            }
        };

        abstract Use use(RedisServer server);
    }

    interface Trial {
        boolean of(String name) throws Exception;
    }

    record Use(Trial acquires, AutoCloseable client) implements AutoCloseable {

        @Override
        public void close() throws Exception {
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherIsKeptOutOnceTheHolderHasSpoken(Other kind) throws Exception {
        try (Use other = kind.use(server);
                Lease lease = holder.getLock(name).acquire(PATIENT)) {
            server.flushAll();
            assertThat(isRefusedForNow(holder, name)).isTrue();
            assertThat(lease.verify()).isTrue();

            assertThat(other.acquires.of(name)).isFalse();
            end(server);
            awaitOpen(holder);
            assertThat(other.acquires.of(name)).isFalse();
            assertThat(lease.verify()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherThatComesFirstHasTheLockAndTheHolderIsToldOfItsLoss(Other kind) throws Exception {
        CompletableFuture<LeaseLoss> told = new CompletableFuture<>();
        try (Use other = kind.use(server)) {
            Lease lease = holder.getLock(name).acquire(PATIENT);
            lease.onLost(told::complete);

            server.flushAll();
            assertThat(other.acquires.of(name)).isTrue();

            assertThat(lease.verify()).isFalse();
            assertThat(Waits.get(told).cause()).isEqualTo(LossCause.GONE);
            end(server);
            awaitOpen(holder);
            assertThat(holder.getLock(name).tryAcquire()).isEmpty();
        }
    }

    @Test
    void selfCheckOfAClientWithoutAGraceNamesTheOthers() {
        server.flushAll();
        assertThat(isRefusedForNow(holder, name)).isTrue();
        end(server);
        awaitOpen(holder);
        try (LockClient other = Waits.client(server).build()) {
            assertThat(other.selfCheck().toCompletableFuture().join().findings())
                    .extracting(finding -> finding.message())
                    .anyMatch(message -> message.contains("Other clients of this Redis have a failover-grace"));
        }
    }
}
