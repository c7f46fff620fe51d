package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.testing.RedisServer.ClientType;
import io.lettuce.core.RedisException;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RedisServerTest {

    @Test
    void sharedServerIsOneForAll() {
        assertThat(RedisServer.shared()).isSameAs(RedisServer.shared());
        RedisServer.shared().close();
        assertThat(RedisServer.shared().cli().ping()).isEqualTo("PONG");
    }

    @Test
    void reportsNameTheServer() {
        RedisServer shared = RedisServer.shared();
        assertThat(shared.version()).matches("(Redis|Valkey) \\d+\\.\\d+\\.\\d+");
        assertThat(shared.toString()).contains(shared.version(), ":" + shared.port(), "(");
    }

    @Test
    void linesOfTheTestWin() {
        try (RedisServer redis = RedisServer.start("requirepass sesame", "maxmemory-policy volatile-ttl")) {
            assertThat(redis.cli().configGet("maxmemory-policy")).containsValue("volatile-ttl");
        }
    }

    @Test
    void wrongConfigurationIsQuotedInTheError() {
        assertThatThrownBy(() -> RedisServer.start("no-such-directive yes"))
                .hasStackTraceContaining("no-such-directive");
    }

    @Test
    void killedAndStoppedServersLoseTheirDataUnlessItIsKept() {
        try (RedisServer redis = RedisServer.start()) {
            int port = redis.port();
            redis.cli().set("a", "1");
            redis.restartWithData();
            assertThat(redis.cli().get("a")).isEqualTo("1");
            redis.cli().set("a", "2");
            redis.kill();
            assertThat(redis.isAlive()).isFalse();
            assertThatThrownBy(redis::cli).isInstanceOf(RedisException.class);
            redis.restartWithData();
            assertThat(redis.cli().get("a")).isEqualTo("1");
            redis.stop();
            assertThat(redis.isAlive()).isFalse();
            redis.restart();
            assertThat(redis.cli().get("a")).isNull();
            assertThat(redis.port()).isEqualTo(port);
        }
    }

    @Test
    void pausedServerExecutesLater() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RawClientForTest client = new RawClientForTest(redis.port())) {
            assertThat(client.ask("PING")).isEqualTo("PONG");
            redis.pause();
            client.send("INCR", "a");
            assertThat(client.hearsNothing()).isTrue();
            redis.resume();
            assertThat(client.read()).isEqualTo("1");
        }
    }

    @Test
    void clientsOfATypeAreKilled() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RawClientForTest normal = new RawClientForTest(redis.port());
                RawClientForTest subscriber = new RawClientForTest(redis.port())) {
            normal.ask("PING");
            subscriber.ask("SUBSCRIBE", "channel");
            assertThat(redis.clientKill(ClientType.PUBSUB)).isEqualTo(1);
            assertThat(subscriber.seesTheEnd()).isTrue();
            assertThat(normal.ask("PING")).isEqualTo("PONG");
            assertThat(redis.clientKill(ClientType.NORMAL)).isEqualTo(1);
            assertThat(redis.clientKill(ClientType.REPLICA) + redis.clientKill(ClientType.MASTER))
                    .isZero();
            assertThat(normal.seesTheEnd()).isTrue();
        }
    }

    @Test
    void closedServerLeavesNothing() {
        RedisServer redis = RedisServer.start();
        Path folder = redis.life().folder().path();
        redis.save();
        redis.close();
        assertThat(folder).doesNotExist();
        assertThatThrownBy(() -> new RawClientForTest(redis.port())).hasMessageContaining("refused");
    }

    @Test
    void killedJvmLeavesNoServerNotEvenAPausedOne() throws Exception {
        Process jvm = ChildProcess.running(Abandoned.class)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = jvm.inputReader();
        ProcessHandle server =
                ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
        Path folder = Path.of(output.readLine());
        assertThat(folder).exists();
        jvm.destroyForcibly().waitFor();
        server.onExit().get(10, TimeUnit.SECONDS);
        assertThat(Files.exists(folder)).isFalse();
    }

    /** The JVM that is killed: it starts a server, says which, and waits for its end. */
    static final class Abandoned {

        public static void main(String[] args) throws Exception {
            RedisServer redis = RedisServer.start();
            String pid = redis.info("server").get("process_id");
            redis.pause();
            System.out.println(pid + "\n" + redis.life().folder().path());
            Thread.sleep(60_000);
        }
    }
}
