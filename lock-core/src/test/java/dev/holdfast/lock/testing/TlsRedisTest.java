package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TlsRedisTest {

    @Test
    void clientNeedsTheCertificate() {
        try (TlsRedis redis = TlsRedis.start()) {
            RedisClient client = RedisClient.create(redis.uri());
            try {
                assertThatThrownBy(client::connect).isInstanceOf(RedisConnectionException.class);
                client.setOptions(redis.clientOptions());
                try (StatefulRedisConnection<String, String> connection = client.connect()) {
                    connection.sync().set("a", "1");
                }
                assertThat(redis.server().cli().get("a")).isEqualTo("1");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void encryptedTrafficPassesTheProxyUnread() {
        try (TlsRedis redis = TlsRedis.start();
                FaultProxy proxy = FaultProxy.to(redis.port())) {
            RedisURI uri = redis.uri();
            uri.setPort(proxy.port());
            RedisClient client = RedisClient.create(uri);
            client.setOptions(redis.clientOptions());
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void userMayDoOnlyWhatItsLineSays() {
        try (RedisServer redis = RedisServer.start("user app on >secret ~lock:* &* +get +ping")) {
            RedisClient client = RedisClient.create(redis.uri("app", "secret"));
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                assertThat(connection.sync().get("lock:a")).isNull();
                assertThatThrownBy(() -> connection.sync().get("other"))
                        .isInstanceOf(RedisCommandExecutionException.class)
                        .hasMessageStartingWith("NOPERM");
            } finally {
                client.shutdown();
            }
        }
    }
}
