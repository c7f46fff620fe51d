package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that cannot be a lock's are refused before anything is sent. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class BadNamesTest {

    private static RedisServer server;
    private static LockClient bare;
    private static LockClient prefixed;

    private Map<String, Long> before;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        bare = Waits.client(server).build();
        prefixed = Waits.client(server).keyPrefix("lock:").build();
        // Released at once: a renewal would be a command.
        for (LockClient client : List.of(bare, prefixed)) {
            client.getLock("warm").lock();
            client.getLock("warm").unlock();
        }
        bare.inspect("warm");
    }

    @AfterAll
    static void stop() {
        bare.close();
        prefixed.close();
        server.close();
    }

    @BeforeEach
    void count() {
        server.cli().configResetstat();
        before = server.commandStats();
    }

    @AfterEach
    void nothingWasSent() {
        Map<String, Long> after = server.commandStats();
        after.remove("info");
        before.remove("info");
        assertThat(after).isEqualTo(before);
    }

    private static List<Consumer<String>> entryPoints(LockClient client) {
        return List.of(client::getLock, client::inspect, client::forceRelease);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "\ud800", "half\udc00", "a\ud800b"})
    void namesThatAreNoTextAreRefusedWhateverThePrefix(String name) {
        for (LockClient client : List.of(bare, prefixed)) {
            entryPoints(client)
                    .forEach(entry -> assertThatThrownBy(() -> entry.accept(name))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("A lock's name must"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"}", "}{", "{}", "{}a", "a{", "a}b", "a{b", "{}{a}", "a{}b"})
    void namesWhoseKeysWouldFallIntoTwoSlotsAreRefused(String name) {
        for (LockClient client : List.of(bare, prefixed)) {
            entryPoints(client)
                    .forEach(entry -> assertThatThrownBy(() -> entry.accept(name))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("'" + (client == bare ? "" : "lock:") + name + "'"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast:token",
                "holdfast:token:{7}",
                "holdfast:client:7",
                "holdfast:wake:7",
                "redisson_lock__channel:{a}",
                "redisson_lock_queue:{a}",
                "redisson_lock_timeout:{a}",
                "redisson_rwlock:{a}",
                "redisson_unlock_latch:{a}:1"
            })
    void namesOfInternalKeysAreRefused(String name) {
        entryPoints(bare)
                .forEach(entry -> assertThatThrownBy(() -> entry.accept(name))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(name));
        assertThatCode(() -> prefixed.getLock(name)).doesNotThrowAnyException();
    }

    @Test
    void nameMayHave512BytesWithItsPrefixAndNoMore() {
        assertThatCode(() -> bare.getLock("é".repeat(256))).doesNotThrowAnyException();
        assertThatThrownBy(() -> bare.getLock("é".repeat(256) + "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("513");
        assertThatCode(() -> prefixed.getLock("x".repeat(507))).doesNotThrowAnyException();
        assertThatThrownBy(() -> prefixed.getLock("x".repeat(508)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("513");
    }

    @Test
    void messagesKeepControlCharactersOffTheLog() {
        LeaseLock lock = bare.getLock("evil\r\nINFO forged\u001b[2J");
        assertThat(lock.name()).isEqualTo("evil\r\nINFO forged\u001b[2J");
        assertThat(lock.toString()).contains("evil\\u000d\\u000aINFO forged\\u001b[2J");
        assertThatThrownBy(lock::unlock).hasMessageContaining("evil\\u000d\\u000aINFO");
        assertThatThrownBy(() -> bare.getLock("evil\r\n{")).hasMessageContaining("evil\\u000d\\u000a{");
    }
}
