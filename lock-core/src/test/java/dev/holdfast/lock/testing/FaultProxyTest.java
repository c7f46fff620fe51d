package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.FaultProxy.Then;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class FaultProxyTest {

    private final RedisServer redis = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(redis.port());
    private RawClientForTest client;
    private String key;

    @BeforeEach
    void connect(TestInfo test) throws IOException {
        key = "proxy:" + test.getDisplayName().replaceAll("[^A-Za-z0-9]", "");
        redis.cli().del(key);
        client = new RawClientForTest(proxy.port());
        assertThat(client.ask("PING")).isEqualTo("PONG");
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        proxy.close();
    }

    @Test
    void connectionsAreClosedInGoodOrderOrResetOrRefusedUntilHealed() throws IOException {
        proxy.closeConnections();
        assertThat(client.seesTheEnd()).isTrue();
        client.close();
        Await.until("the proxy forgets", Duration.ofSeconds(5), () -> proxy.openConnections() == 0);
        try (RawClientForTest second = new RawClientForTest(proxy.port())) {
            assertThat(second.ask("PING")).isEqualTo("PONG");
            proxy.resetConnections();
            assertReset(second);
        }
        try (RawClientForTest third = new RawClientForTest(proxy.port())) {
            assertThat(third.ask("PING")).isEqualTo("PONG");
            proxy.refuseConnections();
            assertThatThrownBy(() -> new RawClientForTest(proxy.port())).isInstanceOf(ConnectException.class);
            assertThat(third.ask("PING")).isEqualTo("PONG");
        }
        proxy.heal();
        assertNewConnectionsWork();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void blackHoleLosesWhatGoesInItsDirection(boolean bothWays) throws IOException {
        Strike hole = bothWays ? proxy.blackHole() : proxy.blackHole(Direction.TO_CLIENT);
        client.send("SET", key, "1");
        hole.await();
        assertThat(client.hearsNothing()).isTrue();
        assertThat(redis.cli().get(key)).isEqualTo(bothWays ? null : "1");
        proxy.heal();
        assertReset(client);
        assertNewConnectionsWork();
    }

    @Test
    void blackHoleHidesTheEndOfAConnection() throws IOException {
        Strike hole = proxy.blackHole();
        client.close();
        hole.await();
        assertThat(proxy.openConnections()).isEqualTo(1);
        proxy.heal();
        assertThat(proxy.openConnections()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void heldBytesComeInOrderWhenHealed(Direction direction) throws IOException {
        Strike dam = proxy.holdBack(direction);
        for (int i = 1; i <= 3; i++) {
            client.send("RPUSH", key, Integer.toString(i));
        }
        dam.await();
        assertThat(client.hearsNothing()).isTrue();
        assertThat(redis.cli().exists(key)).isEqualTo(direction == Direction.TO_SERVER ? 0 : 1);
        proxy.heal();
        assertThat(client.read() + client.read() + client.read()).isEqualTo("123");
        assertThat(redis.cli().lrange(key, 0, -1)).containsExactly("1", "2", "3");
    }

    @Test
    void delayIsALatencyAndNotABrake() throws IOException {
        Strike delay = proxy.delay(Duration.ofMillis(60));
        long start = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            client.send("INCR", key);
        }
        for (int i = 1; i <= 20; i++) {
            assertThat(client.read()).isEqualTo(Integer.toString(i));
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(took).isBetween(Duration.ofMillis(120), Duration.ofMillis(20 * 120));
        assertThat(delay.hasStruck()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void replyOfOneRequestIsSwallowedAfterRedisExecutedIt(Then then) throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.contains("second"), then);
        client.send("RPUSH", key, "first");
        assertThat(client.read()).isEqualTo("1");
        client.send("RPUSH", key, "second");
        strike.await();
        assertThat(redis.cli().llen(key)).isEqualTo(2);
        if (then == Then.RESET) {
            assertReset(client);
            assertNewConnectionsWork();
            return;
        }
        if (then == Then.CLOSE) {
            assertThat(client.seesTheEnd()).isTrue();
            try (RawClientForTest other = new RawClientForTest(proxy.port())) {
                assertThat(other.ask("RPUSH", key, "second")).as("strikes once").isEqualTo("3");
            }
            return;
        }
        client.send("RPUSH", key, "third");
        assertThat(client.hearsNothing()).isTrue();
        assertNewConnectionsWork();
        proxy.heal();
        if (then == Then.HOLD) {
            assertThat(client.read() + client.read()).isEqualTo("23");
        } else {
            assertReset(client);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void messagesAreDroppedWhereTheyMatchAndNeverTakenForReplies(String protocol) throws IOException {
        client.ask("HELLO", protocol);
        client.ask("SUBSCRIBE", key);
        Strike dropped = proxy.dropPushes(push -> push.contains("lost"));
        redis.cli().publish(key, "lost");
        redis.cli().publish(key, "kept");
        assertThat(client.read()).isEqualTo("message " + key + " kept");
        assertThat(dropped.count()).isEqualTo(1);

        Strike swallowed = proxy.swallowReplyOf(request -> request.isNamed("ping"), Then.CLOSE);
        client.send("SUBSCRIBE", key + "2", key + "3");
        client.send("UNSUBSCRIBE", key);
        assertThat(client.read() + client.read() + client.read()).contains("unsubscribe");
        client.send("PING");
        swallowed.await();
        assertThat(client.seesTheEnd()).isTrue();
    }

    private void assertNewConnectionsWork() throws IOException {
        try (RawClientForTest other = new RawClientForTest(proxy.port())) {
            assertThat(other.ask("PING")).isEqualTo("PONG");
        }
    }

    private static void assertReset(RawClientForTest client) {
        assertThatThrownBy(client::seesTheEnd)
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }
}
