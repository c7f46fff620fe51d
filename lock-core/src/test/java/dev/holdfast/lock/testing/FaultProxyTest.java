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
    void faultlessProxyPassesAndCountsEverything() throws IOException {
        assertThat(client.ask("SET", key, "1")).isEqualTo("OK");
        assertThat(proxy.bytesToServer()).isEqualTo(14 + 25 + key.length() + digits(key));
        assertThat(proxy.bytesToClient()).isEqualTo("+PONG\r\n+OK\r\n".length());
        assertThat(proxy.acceptedConnections()).isEqualTo(1);
        assertThat(proxy.openConnections()).isEqualTo(1);
    }

    @Test
    void closedConnectionsEndInGoodOrder() throws IOException {
        proxy.closeConnections();
        assertThat(client.seesTheEnd()).isTrue();
        assertNewConnectionsWork();
    }

    @Test
    void resetConnectionsBreak() throws IOException {
        proxy.resetConnections();
        assertReset(client);
        assertNewConnectionsWork();
    }

    @Test
    void connectionsAreRefusedUntilHealed() throws IOException {
        proxy.refuseConnections();
        assertThatThrownBy(() -> new RawClientForTest(proxy.port())).isInstanceOf(ConnectException.class);
        assertThat(client.ask("PING")).isEqualTo("PONG");
        proxy.heal();
        assertNewConnectionsWork();
    }

    @Test
    void blackHoleLosesTheCommand() throws IOException {
        Strike hole = proxy.blackHole();
        client.send("SET", key, "1");
        hole.await();
        assertThat(client.hearsNothing()).isTrue();
        assertThat(redis.cli().get(key)).isNull();
        proxy.heal();
        assertReset(client);
        assertNewConnectionsWork();
    }

    @Test
    void blackHoleTowardsTheClientLosesTheReplyOnly() throws IOException {
        Strike hole = proxy.blackHole(Direction.TO_CLIENT);
        client.send("SET", key, "1");
        hole.await();
        assertThat(redis.cli().get(key)).isEqualTo("1");
        assertThat(client.hearsNothing()).isTrue();
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

    @Test
    void connectionThatLostNothingSurvivesABlackHole() throws IOException {
        proxy.blackHole();
        proxy.heal();
        assertThat(client.ask("PING")).isEqualTo("PONG");
    }

    @Test
    void heldCommandsRunInOrderWhenHealed() throws IOException {
        Strike dam = proxy.holdBack(Direction.TO_SERVER);
        client.send("RPUSH", key, "1");
        client.send("RPUSH", key, "2");
        client.send("RPUSH", key, "3");
        dam.await();
        assertThat(redis.cli().exists(key)).isZero();
        proxy.heal();
        assertThat(client.read() + client.read() + client.read()).isEqualTo("123");
        assertThat(redis.cli().lrange(key, 0, -1)).containsExactly("1", "2", "3");
    }

    @Test
    void heldRepliesComeInOrderWhenHealed() throws IOException {
        Strike dam = proxy.holdBack(Direction.TO_CLIENT);
        client.send("INCR", key);
        client.send("INCR", key);
        dam.await();
        assertThat(client.hearsNothing()).isTrue();
        assertThat(redis.cli().get(key)).isNotNull();
        proxy.heal();
        assertThat(client.read() + client.read()).isEqualTo("12");
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

    @Test
    void replyIsSwallowedAfterRedisExecutedTheCommand() throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.isNamed("incr"), Then.CLOSE);
        client.send("INCR", key);
        strike.await();
        assertThat(client.seesTheEnd()).isTrue();
        assertThat(redis.cli().get(key)).isEqualTo("1");
    }

    @Test
    void replyIsSwallowedAndTheConnectionReset() throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.contains(key), Then.RESET);
        client.send("INCR", key);
        strike.await();
        assertReset(client);
        assertThat(redis.cli().get(key)).isEqualTo("1");
    }

    @Test
    void replyIsSwallowedAndNothingFollows() throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.contains(key), Then.STAY_SILENT);
        client.send("INCR", key);
        strike.await();
        client.send("INCR", key);
        assertThat(client.hearsNothing()).isTrue();
        assertNewConnectionsWork();
        proxy.heal();
        assertReset(client);
    }

    @Test
    void replyIsHeldAndDeliveredLate() throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.contains(key), Then.HOLD);
        client.send("INCR", key);
        strike.await();
        assertThat(client.hearsNothing()).isTrue();
        assertThat(redis.cli().get(key)).isEqualTo("1");
        proxy.heal();
        assertThat(client.read()).isEqualTo("1");
    }

    @Test
    void repliesBeforeTheSwallowedOneArrive() throws IOException {
        Strike strike = proxy.swallowReplyOf(request -> request.contains("second"), Then.CLOSE);
        client.send("RPUSH", key, "first");
        client.send("RPUSH", key, "second");
        client.send("RPUSH", key, "third");
        strike.await();
        assertThat(client.read()).isEqualTo("1");
        assertThat(client.seesTheEnd()).isTrue();
    }

    @Test
    void ruleTakesOneRequestOnly() throws IOException {
        proxy.swallowReplyOf(request -> request.isNamed("INCR"), Then.CLOSE);
        client.send("INCR", key);
        assertThat(client.seesTheEnd()).isTrue();
        try (RawClientForTest second = new RawClientForTest(proxy.port())) {
            assertThat(second.ask("INCR", key)).isEqualTo("2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void matchingMessagesAreDroppedAndOthersPass(String protocol) throws IOException {
        client.ask("HELLO", protocol);
        client.ask("SUBSCRIBE", key);
        Strike strike = proxy.dropPushes(push -> push.contains("lost"));
        redis.cli().publish(key, "lost");
        redis.cli().publish(key, "kept");
        assertThat(client.read()).isEqualTo("message " + key + " kept");
        assertThat(strike.count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void subscriptionsDoNotShiftTheReplies(String protocol) throws IOException {
        client.ask("HELLO", protocol);
        Strike strike = proxy.swallowReplyOf(request -> request.isNamed("PING"), Then.CLOSE);
        client.send("SUBSCRIBE", key, key + "2");
        client.send("UNSUBSCRIBE", key);
        assertThat(client.read() + client.read() + client.read()).contains("unsubscribe");
        client.send("PING");
        strike.await();
        assertThat(client.seesTheEnd()).isTrue();
    }

    @Test
    void otherTrafficPassesUnread() throws IOException {
        try (RawClientForTest inline = new RawClientForTest(proxy.port())) {
            inline.sendRaw("SET " + key + " 1\r\n");
            assertThat(inline.read()).isEqualTo("OK");
        }
    }

    @Test
    void clientsThatLeaveAreForgotten() throws IOException {
        client.close();
        Await.until("the proxy forgets", Duration.ofSeconds(5), () -> proxy.openConnections() == 0);
    }

    @Test
    void proxyWithoutAServerResetsItsClients() throws IOException {
        int nobody = FreePorts.next();
        try (FaultProxy deadEnd = FaultProxy.to(nobody);
                RawClientForTest lonely = new RawClientForTest(deadEnd.port())) {
            assertReset(lonely);
        } finally {
            FreePorts.giveBack(nobody);
        }
    }

    @Test
    void strikeThatDoesNotComeIsReported() {
        Strike strike = new Strike("a fault");
        assertThat(strike.hasStruck()).isFalse();
        assertThat(strike).hasToString("a fault, 0 times so far");
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

    private static int digits(String text) {
        return Integer.toString(text.length()).length();
    }
}
