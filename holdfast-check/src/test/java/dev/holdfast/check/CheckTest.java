package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.check.CheckStage.Phase;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Checks of servers whose faults are known. */
@Timeout(Await.TEST_SECONDS)
@OneAtATime
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no SIGSTOP")
@Nightly(inEachBuild = "CheckerTest has a history that each rule rejects, and RealLogsTest judges two applications")
class CheckTest {

    /** What a check prints, and what the operator does when he is asked to. */
    private static final class Console extends PrintStream {
        private final ByteArrayOutputStream bytes;
        private final Runnable operator;

        Console(Runnable operator) {
            this(new ByteArrayOutputStream(), operator);
        }

        private Console(ByteArrayOutputStream bytes, Runnable operator) {
            super(bytes, true, StandardCharsets.UTF_8);
            this.bytes = bytes;
            this.operator = operator;
        }

        @Override
        public void println(String line) {
            super.println(line);
            if (line.startsWith(">>>")) {
                new Thread(operator, "operator").start();
            }
        }

        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }

    private static final class Keys {
        static List<String> of(RedisServer server) {
            return server.cli().keys("*holdfast-check*");
        }
    }

    /** Lets the operator restart a server whose locks are in use: the workers of its phase may need long to begin. */
    private static void restartInUse(RedisServer server) {
        long before = requests(server);
        Await.until("workers use locks", Await.PATIENCE, () -> requests(server) > before + 200);
        server.restart();
    }

    private static long requests(RedisServer server) {
        Map<String, Long> commands = server.commandStats();
        // Of the naive lock, and of Holdfast.
        return commands.getOrDefault("set", 0L) + commands.getOrDefault("evalsha", 0L);
    }

    private final Console quiet = new Console(() -> {});

    private static CheckOptions options(RedisURI uri, int seconds, CheckedLibrary library, Phase... phases) {
        return new CheckOptions(uri, seconds, 600, 0, library, "", false, null, List.of(phases), 7);
    }

    /** Faults of processes only. Those of the network strike in {@code SmokeTest} of lab/trials, and all of them below, at night. */
    @Test
    void holdfastIsInnocentAndLeavesNothing() {
        try (RedisServer server = RedisServer.start()) {
            server.cli().set("order", "of somebody else");
            int code = new Check(options(server.uri(), 5, CheckedLibrary.HOLDFAST, Phase.PROCESS), quiet).run();
            assertThat(quiet.text()).contains("Verdict: Innocent: Holdfast had one holder at a time in ");
            assertThat(code).isEqualTo(CheckReport.KEPT);
            assertThat(Keys.of(server)).isEmpty();
            assertThat(server.cli().get("order")).isEqualTo("of somebody else");
        }
    }

    @Test
    void naiveLockIsGuiltyUnderFaultsOfItsProcessAndOfTheServer() {
        try (RedisServer server = RedisServer.start()) {
            Console console = new Console(() -> restartInUse(server));
            int code = new Check(
                            options(server.uri(), 16, CheckedLibrary.NAIVE, Phase.PROCESS, Phase.FAILOVER), console)
                    .run();
            assertThat(console.text())
                    .contains("Verdict: Guilty: The naive lock broke ")
                    .contains("under faults of the class process")
                    .contains("under faults of the class failover")
                    .contains("Changes: the server changed at ");
            assertThat(code).isEqualTo(CheckReport.BROKEN);
        }
    }

    /** The network must fail while a lock is held for long, which takes a minute to be nearly certain. */
    @Test
    void naiveLockIsGuiltyUnderFaultsOfTheNetwork() {
        try (RedisServer server = RedisServer.start()) {
            int code = new Check(options(server.uri(), 90, CheckedLibrary.NAIVE, Phase.NETWORK), quiet).run();
            assertThat(quiet.text())
                    .contains("Verdict: Guilty: The naive lock broke ")
                    .contains("under faults of the class network");
            assertThat(code).isEqualTo(CheckReport.BROKEN);
        }
    }

    @Test
    void holdfastIsInnocentWhenTheServerForgetsItsLocks() {
        try (RedisServer server = RedisServer.start()) {
            Console console = new Console(() -> restartInUse(server));
            int code = new Check(options(server.uri(), 60, CheckedLibrary.HOLDFAST, Phase.values()), console).run();
            assertThat(console.text()).contains("Verdict: Innocent: Holdfast ").contains("1 changes of the server");
            assertThat(code).isEqualTo(CheckReport.KEPT);
        }
    }

    @Test
    void nodeOfAClusterBehindOneAddressIsGuilty() {
        try (RedisCluster cluster = RedisCluster.start()) {
            int code =
                    new Check(options(cluster.uris().get(0), 10, CheckedLibrary.HOLDFAST, Phase.NETWORK), quiet).run();
            assertThat(quiet.text())
                    .contains("ERROR This address is one node of a cluster")
                    .contains("Verdict: Guilty: this is one node of a cluster");
            assertThat(code).isEqualTo(CheckReport.BROKEN);
        }
    }

    @Test
    void addressThatHidesSeveralServersIsGuilty() {
        try (ShardingProxy proxy = ShardingProxy.start(ShardingProxy.Service.ROUTES_BY_FIRST_KEY)) {
            int code = new Check(options(proxy.uri(), 10, CheckedLibrary.HOLDFAST, Phase.NETWORK), quiet).run();
            assertThat(quiet.text()).contains("Verdict: Guilty as it is: this address hides several servers");
            assertThat(code).isEqualTo(CheckReport.BROKEN);
        }
    }

    @Test
    void connectionsThroughTheFaultyNetworkAreEncryptedAndLogIn() {
        String address = "rediss://app:secret@localhost:%d/2?verifyPeer=NONE";
        try (TlsRedis tls = TlsRedis.start("user app on >secret ~* &* +@all");
                RemoteServer remote = new RemoteServer(RedisURI.create(address.formatted(tls.port())));
                FaultProxy network = FaultProxy.to(remote)) {
            RedisURI uri = network.uri();
            remote.settings("", 100, 1, null).logIn(uri);
            RedisClient client = RedisClient.create(uri);
            client.connect().sync().set("order", "4711");
            client.shutdown();
            assertThat(remote.keys("*")).containsExactly("order");
            assertThat(tls.server().cli().keys("*")).as("keys of database 0").isEmpty();
        }
    }

    @Test
    void serverThatDoesNotAnswerGivesNoResult() {
        int code = new Check(
                        options(RedisURI.create("127.0.0.1", 1), 10, CheckedLibrary.HOLDFAST, Phase.NETWORK), quiet)
                .run();
        assertThat(quiet.text()).contains("No result: ");
        assertThat(code).isEqualTo(CheckReport.NO_RESULT);
    }

    @Test
    void interruptEndsTheCheckAndRemovesItsKeys() throws InterruptedException {
        try (RedisServer server = RedisServer.start()) {
            Thread check = new Thread(
                    () -> new Check(options(server.uri(), 600, CheckedLibrary.HOLDFAST, Phase.NETWORK), quiet).run());
            check.start();
            Await.until(
                    "workers use locks",
                    Await.PATIENCE,
                    () -> quiet.text().contains("Ctrl-C") && !Keys.of(server).isEmpty());
            check.interrupt();
            check.join();
            assertThat(quiet.text()).contains("Ended before its time.").contains("Verdict: None");
            assertThat(Keys.of(server)).isEmpty();
        }
    }
}
