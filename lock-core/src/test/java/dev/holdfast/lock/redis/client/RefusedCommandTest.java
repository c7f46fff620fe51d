package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Services that refuse commands which their operator keeps, and servers that limit their clients. */
@Timeout(Await.TEST_SECONDS)
class RefusedCommandTest {

    private final RecordingListener witness = new RecordingListener();

    /** With a name, which Lettuce tells the server by CLIENT SETNAME. */
    private RedisLockClientBuilder client(RedisServer server) {
        RedisURI uri = server.uri();
        uri.setClientName("shop");
        return RedisLockClient.builder(RedisSource.of(uri))
                .watchdogTimeout(TwoClients.WATCHDOG)
                .listener(witness);
    }

    /** What operators of services keep for themselves. Without HELLO the second version of the protocol is left. */
    private static final List<String> OPTIONAL = List.of(
            "config",
            "client",
            "wait",
            "role",
            "info",
            "hello",
            "cluster",
            "command",
            "script",
            "acl",
            "echo",
            "subscribe",
            "ssubscribe",
            "publish",
            "spublish",
            "pubsub",
            "scan",
            "monitor",
            "select");

    /** Redis 6.2 does not start without what it does not have. */
    static List<String> optional() {
        return OPTIONAL.stream()
                .filter(name -> RedisServer.shared().cli().commandInfo(name).get(0) instanceof List<?> known
                        && !known.isEmpty())
                .toList();
    }

    @Test
    void locksWorkWithoutAllThatIsOptional() {
        assertLocksWorkWithout(optional());
    }

    @Nightly(inEachBuild = "all of these commands are refused at once")
    @ParameterizedTest
    @MethodSource("optional")
    void locksWorkWithout(String command) {
        assertLocksWorkWithout(List.of(command));
    }

    private void assertLocksWorkWithout(List<String> commands) {
        String[] lines = commands.stream()
                .map(command -> "rename-command " + command + " \"\"")
                .toArray(String[]::new);
        try (RedisServer server = RedisServer.start(lines);
                LockClient one = client(server).build();
                LockClient other = client(server).build()) {
            for (ContractKind kind : List.of(ContractKind.REENTRANT, ContractKind.FAIR, ContractKind.WRITE)) {
                String name = Waits.name("refused");
                Lease held = kind.lock(one, name).acquire();
                CompletableFuture<Lease> wanted = kind.lock(other, name)
                        .acquireAsync(Waits.waiting(Waits.LONG))
                        .toCompletableFuture();
                held.close();
                Waits.get(wanted).close();
            }
            List<Lease> leases = List.of(Waits.held(one, Waits.name("a")), Waits.held(one, Waits.name("b")));
            Await.until("they are renewed", Waits.LONG, () -> one.statistics().renewals() >= leases.size());
            assertThat(leases).allMatch(Lease::verify);
            leases.forEach(Lease::close);
            assertThat(witness.losses).isEmpty();
            assertThat(Waits.get(other.selfCheck().toCompletableFuture()).isUsable())
                    .isTrue();
        }
    }

    @Test
    void refusedScriptIsNamed() {
        try (RedisServer server = RedisServer.start("rename-command evalsha \"\"");
                LockClient client = client(server).build()) {
            assertThatThrownBy(() -> client.getLock("any").acquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("EVALSHA");
        }
    }

    /** A setting that needs a command which the service may refuse. */
    enum Setting {
        DATABASE("select"),
        MIN_REPLICAS("wait"),
        SEVERAL_ADDRESSES("role");

        private final String command;

        Setting(String command) {
            this.command = command;
        }

        RedisLockClientBuilder client(RedisServer server) {
            RedisURI uri = server.uri();
            if (this == DATABASE) {
                uri.setDatabase(3);
            }
            RedisSource source = this == SEVERAL_ADDRESSES ? RedisSource.replicated(uri, uri) : RedisSource.of(uri);
            RedisLockClientBuilder client = RedisLockClient.builder(source).checkAtStart(false);
            return this == MIN_REPLICAS ? client.minReplicas(1) : client;
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedCommandThatASettingNeedsIsNamed(Setting setting) {
        try (RedisServer server = RedisServer.start("rename-command " + setting.command + " \"\"");
                LockClient client = setting.client(server).build()) {
            assertThatThrownBy(() -> client.getLock("any").acquire(Waits.waiting(Duration.ofSeconds(1))))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("unknown command")
                    .hasMessageContaining(setting.command.toUpperCase(Locale.ROOT));
            Await.until("nothing is left", Waits.LONG, () -> server.cli().exists("any") == 0);
        }
    }

    @Test
    void serverWithTooManyClientsIsNamedAndUsedAsSoonAsItHasRoom() {
        try (RedisServer server = RedisServer.start()) {
            server.cli().configSet("maxclients", "1");
            try (LockClient client = client(server).build()) {
                // The server may have closed the connection before Lettuce reads why.
                Await.until(
                        "the reason is named",
                        Waits.LONG,
                        () -> refusal(client).getMessage().contains("max number of clients"));
                server.cli().configSet("maxclients", "100");
                Waits.held(client, "any").close();
            }
        }
    }

    private static LockUnavailableException refusal(LockClient client) {
        return catchThrowableOfType(
                LockUnavailableException.class,
                () -> client.getLock("any").acquire(Waits.waiting(Duration.ofMillis(300))));
    }

    @Test
    void leasesSurviveThatTheServerClosesIdleConnections() {
        try (RedisServer server = RedisServer.start("timeout 1", "hz 100");
                LockClient client =
                        client(server).watchdogTimeout(Duration.ofSeconds(9)).build()) {
            Lease held = client.getLock("held").acquire();
            Await.until("two renewals", Waits.LONG, () -> client.statistics().renewals() >= 2);
            assertThat(held.verify()).isTrue();
            assertThat(witness.losses).isEmpty();
        }
    }
}
