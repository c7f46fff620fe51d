package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.SelfCheck.Severity;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a client finds out about its server. What it finds with too few rights is shown in {@link MissingRightTest}. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class SelfCheckTest {

    private static SelfCheck check(RedisServer server) throws Exception {
        try (LockClient client = Waits.client(server)
                // The first connection of a JVM can take longer than two seconds on a busy machine.
                .commandTimeout(Duration.ofSeconds(30))
                .build()) {
            return ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
        }
    }

    @Test
    void serverFitForLocksHasNoFindingsAndKeepsNoTrial() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            SelfCheck check = check(server);
            assertThat(check.findings()).isEmpty();
            assertThat(check.isUsable()).isTrue();
            assertThat(check.topology()).isEqualTo("standalone");
            assertThat(server.cli().scriptExists(check.scripts().get("acquire")))
                    .containsExactly(true);
            assertThat(server.version()).endsWith(check.serverVersion());
            assertThat(server.version()).startsWithIgnoringCase(check.product());
            assertThat(server.cli().keys("*")).containsExactly(LockKeys.TOKEN_KEY);
        }
    }

    @Test
    void statisticsCountTheFindingsOfTheLatestCheck() throws Exception {
        try (RedisServer server = RedisServer.start("maxmemory 50mb", "maxmemory-policy allkeys-lru");
                LockClient client = Waits.client(server).build()) {
            assertThat(client.statistics().checkWarnings()).isZero();
            ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
            assertThat(client.statistics().checkWarnings()).isEqualTo(1);
            assertThat(client.statistics().checkErrors()).isZero();

            server.cli().configSet("maxmemory-policy", "noeviction");
            ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
            assertThat(client.statistics().checkWarnings()).isZero();
        }
    }

    @Test
    void evictionIsAWarningThatNamesThePolicyAndTheFix() throws Exception {
        try (RedisServer server = RedisServer.start("maxmemory 50mb")) {
            for (String policy : List.of("allkeys-lru", "allkeys-random", "volatile-lru", "volatile-ttl")) {
                server.cli().configSet("maxmemory-policy", policy);
                SelfCheck check = check(server);
                assertThat(check.isUsable()).isTrue();
                assertThat(check.findings()).singleElement().satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.message()).contains(policy, "maxmemory-policy noeviction");
                    assertThat(finding.message().contains("evicts lock keys first"))
                            .isEqualTo(policy.equals("volatile-ttl"));
                });
            }
        }
    }

    @Test
    void missingRightIsAnErrorThatNamesTheFix() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            // Before anybody connects: a connection that was refused waits for the next try.
            LeastRights.grant(server, LeastRights.USER, "+pexpire");
            try (LockClient client = LeastRights.client(server).build()) {
                SelfCheck check = ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
                assertThat(check.isUsable()).isFalse();
                assertThat(check.findings().get(0).severity()).isEqualTo(Severity.ERROR);
                assertThat(check.findings().get(0).message()).contains("docs/acl.conf");
                assertThat(server.cli().keys("lock:*")).isEmpty();
            }
        }
    }

    @Test
    void subscriptionThatIsNeverConfirmedIsAWarning() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                LockClient client = Waits.client(proxy)
                        .commandTimeout(Duration.ofMillis(500))
                        .build()) {
            proxy.dropPushes(push -> true);
            Lease held = client.getLock("taken").acquire();
            CompletableFuture<Lease> wanted = Waits.wanted(client, "taken");
            proxy.awaitAccepted(2);

            SelfCheck check = ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
            wanted.cancel(true);
            held.close();

            assertThat(check.isUsable()).isTrue();
            assertThat(check.findings())
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.message()).contains("Subscriptions are not confirmed"));
        }
    }

    @Test
    void callersContinueOffTheEventLoops() throws Exception {
        try (LockClient client = Waits.client(RedisServer.shared()).build()) {
            assertThat(ScriptedThread.outcome(client.selfCheck()
                            .thenApply(check -> Thread.currentThread().getName())
                            .toCompletableFuture()))
                    .doesNotContain("lettuce");
        }
    }

    @Test
    void silentServerIsUnavailableAndNotUnfit() throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient client = Waits.client(server)
                        .commandTimeout(Duration.ofMillis(200))
                        .build()) {
            // The first answer may take longer than a request.
            Waits.held(client, "warm").close();
            server.pause();
            assertThatThrownBy(() -> ScriptedThread.outcome(client.selfCheck().toCompletableFuture()))
                    .isInstanceOf(LockUnavailableException.class);
            server.resume();
        }
    }
}
