package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** A password, or a token in its place, that changes while locks are held and wanted. */
@Timeout(Await.TEST_SECONDS)
class ChangedPasswordTest {

    private static final String USER = "shop";
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration NO_POLL = Duration.ofMinutes(5);

    @AutoClose
    private final RedisServer server = RedisServer.start("user " + USER + " on >old +@all ~* &*");

    private final String name = Waits.name("password");
    private final RecordingListener listener = new RecordingListener();
    private volatile String known = "old";

    @ParameterizedTest
    @EnumSource
    void leasesAndWaitersSurviveWhereTheProviderKnowsTheNewOneInTime(ClientOwner owner) {
        try (ClientOwner.Opened opened = owner.to(address(this::credentials));
                LockClient holder = client(opened.source());
                LockClient waiter = client(opened.source())) {
            Lease lease = Waits.held(holder, name);
            CompletableFuture<Lease> wanted = Waits.wanted(waiter, name);
            Waits.awaitListeners(server, name, 1);

            changePassword();
            Waits.awaitRenewals(holder, 1);
            assertThat(listener.troubles)
                    .as("renewals on a connection that has logged in")
                    .hasValue(0);
            cutConnections();
            assertRefused(holder);
            known = "new";

            Waits.awaitRenewals(holder, 1);
            Waits.awaitListeners(server, name, 1);
            assertThat(lease.verify()).isTrue();
            lease.close();
            Waits.get(wanted).close();
            assertThat(listener.losses).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void releaseOfThatTimeIsRepeatedAndAWaiterAsksOn(ClientOwner owner) {
        try (ClientOwner.Opened opened = owner.to(address(this::credentials));
                LockClient client =
                        builder(opened.source()).watchdogTimeout(NO_POLL).build();
                LockClient waiter = client(opened.source())) {
            Lease lease = Waits.held(client, name);
            // A client that has never been connected would take the password for wrong.
            Waits.get(waiter.connected().toCompletableFuture());
            changePassword();
            cutConnections();
            assertRefused(client);
            CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
            assertRefused(waiter);
            CompletableFuture<Lease> wanted = Waits.wanted(waiter, name);
            assertRefused(waiter);
            known = "new";

            Waits.get(released);
            Waits.get(wanted).close();
        }
    }

    private Mono<RedisCredentials> credentials() {
        return Mono.just(RedisCredentials.just(USER, known));
    }

    private RedisURI address(RedisCredentialsProvider provider) {
        RedisURI address = server.uri();
        address.setCredentialsProvider(provider);
        return address;
    }

    private LockClient client(RedisSource source) {
        return builder(source).build();
    }

    private RedisLockClientBuilder builder(RedisSource source) {
        return RedisLockClient.builder(source)
                .checkAtStart(false)
                .watchdogTimeout(LEASE)
                .pollInterval(NO_POLL)
                .listener(listener);
    }

    private void changePassword() {
        server.cli().aclSetuser(USER, AclSetuserArgs.Builder.resetpass().addPassword("new"));
    }

    private void cutConnections() {
        server.clientKill(ClientType.NORMAL);
        server.clientKill(ClientType.PUBSUB);
    }

    private static void assertRefused(LockClient client) {
        Await.until("the refusal is named", Waits.LONG, () -> {
            Throwable refusal =
                    catchThrowable(() -> client.getLock("any").acquire(Waits.waiting(Duration.ofMillis(200))));
            return refusal instanceof LockUnavailableException
                    && refusal.getMessage().contains("WRONGPASS")
                    && refusal.getMessage().contains("check user name and password");
        });
    }
}
