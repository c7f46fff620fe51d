package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The record's scripts: sent late, sent twice, sent by holders of one grant. */
@Timeout(60)
class RecordScriptTest {

    private static final String MINUTE = "60000";

    private final RedisServer server = RedisServer.start();
    private final ScriptConnection connection = new ScriptConnection(server);
    private final PlainProtocol plain =
            new PlainProtocol(connection.gateway, ScriptConnection.KEYS, 0, LockKind.REENTRANT, Grace.OFF);
    private final String name = Waits.name("record");

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private Grant acquire(String owner) {
        AcquireRequest request = new AcquireRequest(name, name, owner, terms(20_000), 1, 0, 0, Hearing.YES, null);
        return ((Granted) now(plain.acquire(request))).grant();
    }

    private long write(Grant grant, long token, String text) {
        List<String> args =
                List.of(grant.owner(), MINUTE, Long.toString(grant.firstToken()), Long.toString(token), text);
        return (Long) now(connection.gateway.run(Scripts.RECORD_WRITE, List.of(name), args))
                .get(0);
    }

    private List<Object> read() {
        return now(connection.gateway.run(Scripts.RECORD_READ, List.of(name), List.of()));
    }

    @Test
    void lateCommandOfAnEarlierHolderOfTheSameGrantChangesNothing() {
        Grant grant = acquire("c1:1:1");
        // The second holder received the grant from the first one in their client.
        assertThat(write(grant, grant.firstToken() + 1, "second")).isEqualTo(1);

        assertThat(write(grant, grant.firstToken(), "first, on its way until now"))
                .isZero();

        assertThat(read().get(1)).isEqualTo("second");
        assertThat(write(grant, grant.firstToken() + 1, "second again")).isEqualTo(1);
    }

    @Test
    void commandThatArrivesAfterTheReleaseChangesNothing() {
        Grant grant = acquire("c1:1:1");
        assertThat(write(grant, grant.firstToken(), "in time")).isEqualTo(1);
        now(plain.release(new ReleaseRequest(name, grant.owner(), 0, 0)));

        assertThat(write(grant, grant.firstToken(), "late")).isZero();
        // The same owner id, granted anew after Redis lost the lock.
        acquire("c1:1:1");
        assertThat(write(grant, grant.firstToken(), "later")).isZero();

        assertThat(read().get(1)).isEqualTo("in time");
    }

    /** Lettuce may send a command twice. */
    @Test
    void replacementThatIsSentTwiceIsWritten() {
        Grant grant = acquire("c1:1:1");
        assertThat(replace(grant, "", "text")).isEqualTo(1);
        assertThat(replace(grant, "", "text")).isEqualTo(1);
        assertThat(replace(grant, "", "other")).isEqualTo(2);
        now(plain.release(new ReleaseRequest(name, grant.owner(), 0, 0)));

        Grant next = acquire("c1:1:2");
        assertThat(replace(next, "", "text")).isEqualTo(2);
        assertThat(replace(next, "text", "next")).isEqualTo(1);
    }

    private long replace(Grant grant, String before, String text) {
        String token = Long.toString(grant.firstToken());
        List<String> args = List.of(grant.owner(), MINUTE, token, token, text, before);
        return (Long) now(connection.gateway.run(Scripts.RECORD_WRITE, List.of(name), args))
                .get(0);
    }

    @Test
    void lockLeavesNothingBesideItUnlessSomebodyWrites() {
        Grant grant = acquire("c1:1:1");
        assertThat(read()).hasSize(1);
        now(plain.release(new ReleaseRequest(name, grant.owner(), 0, 0)));
        assertThat(server.cli().keys("*")).containsExactly("holdfast:token");

        Grant next = acquire("c1:1:2");
        write(next, next.firstToken(), "text");
        assertThat(server.cli().pttl("holdfast:record:{" + name + "}")).isBetween(1L, 60_000L);
        assertThat(server.cli().get("holdfast:record:{" + name + "}")).isEqualTo(next.firstToken() + ":text");
    }
}
