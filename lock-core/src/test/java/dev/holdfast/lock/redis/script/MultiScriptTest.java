package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.MultiProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scripts of several names as one lock, on a server without memory. */
@Timeout(60)
class MultiScriptTest {

    private static final String NAMES = "{several}";
    private static final List<String> LOCKS = List.of(NAMES + "a", NAMES + "b");

    private static Answer ask(MultiProtocol several, String owner) {
        return now(several.acquire(
                new AcquireRequest(NAMES, NAMES, owner, terms(20_000), 1, 0, 5_000, Hearing.YES, null)));
    }

    @Test
    void waiterThatIsInLineGetsNothingFromAServerWithoutMemory() {
        try (RedisServer server = RedisServer.start();
                ScriptConnection connection = new ScriptConnection(server)) {
            MultiProtocol several = new MultiProtocol(LOCKS, connection.gateway, ScriptConnection.KEYS, 0);
            ask(several, "a:1:1:0");
            assertThat(ask(several, "b:1:1:0")).isInstanceOf(Answer.Busy.class);
            LOCKS.forEach(server.cli()::del);
            server.cli().configSet("maxmemory", "1");

            assertThatThrownBy(() -> ask(several, "b:1:1:0")).hasMessageContaining("OOM");

            assertThat(server.cli().exists(LOCKS.toArray(String[]::new))).isZero();
        }
    }
}
