package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scripts of records, of requests to stop and of assertions: sent late, sent twice. */
@Timeout(Await.TEST_SECONDS)
class RecordScriptTest {

    private static final String MINUTE = "60000";

    private final RedisServer server = RedisServer.start();
    private final ScriptConnection connection = new ScriptConnection(server);
    private final LockProtocol plain = ScriptConnection.protocol(LockKind.REENTRANT, connection.gateway);
    private final String name = Waits.name("record");

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private Grant acquire(String owner) {
        AcquireRequest request = new AcquireRequest(name, name, owner, terms(20_000), 1, 0, 0, true, null);
        return (Grant) now(plain.acquire(request));
    }

    private long write(Grant grant, String text, String... before) {
        List<String> args = new ArrayList<>(List.of(Long.toString(grant.firstToken()), MINUTE, text));
        args.addAll(List.of(before));
        try {
            List<Object> answer = now(plain.runGuarded(grant, Scripts.RECORD_WRITE.get(), List.of(), args));
            long written = (Long) answer.get(0);
            // Only a comparison is answered with the server's time, and with the text if that is another one.
            assertThat(answer).hasSize(before.length == 0 ? 1 : (int) written + 1);
            return written;
        } catch (CompletionException refused) {
            assertThat(RedisFailure.of(refused)).hasMessageContaining(LeaseGuard.REFUSAL);
            return 0;
        }
    }

    private List<Object> read() {
        return now(connection.gateway.run(Scripts.RECORD_READ.get(), List.of(name), List.of()));
    }

    @Test
    void commandThatArrivesAfterTheReleaseChangesNothing() {
        Grant grant = acquire("c1:1:1");
        assertThat(write(grant, "in time")).isEqualTo(1);
        now(plain.release(name, grant.owner(), 0, 0));

        assertThat(write(grant, "late")).isZero();
        // The same owner id, granted anew after Redis lost the lock.
        acquire("c1:1:1");
        assertThat(write(grant, "later")).isZero();

        assertThat(read().get(1)).isEqualTo("in time");
    }

    /** It names the grant that it is for. */
    @Test
    void requestToStopThatArrivesAfterTheReleaseChangesNothing() {
        Grant grant = acquire("c1:1:1");
        assertThat(requestStop(grant)).isEqualTo(1);
        now(plain.release(name, grant.owner(), 0, 0));

        assertThat(requestStop(grant)).isZero();
        assertThat(server.cli().exists(name)).isZero();
        // The same owner id, granted anew after Redis lost the lock.
        acquire("c1:1:1");
        assertThat(requestStop(grant)).isZero();
        assertThat(server.cli().hexists(name, "holdfast:stop")).isFalse();
    }

    private long requestStop(Grant grant) {
        List<String> args = List.of(grant.owner(), Long.toString(grant.firstToken()));
        return (Long) now(connection.gateway.run(Scripts.REQUEST_STOP.get(), List.of(name), args))
                .get(0);
    }

    /** One answer is for up to a hundred leases, so such a lease must not fail the others. */
    @Test
    void assertionOfALeaseThatEndsJustNowIsAnswered() {
        Grant grant = acquire("c1:1:1");
        List<String> args = List.of(
                "1000:" + System.currentTimeMillis() + ":0",
                grant.owner(),
                "20000",
                Long.toString(grant.firstToken()),
                "0",
                "");

        assertThat(now(connection.gateway.run(Scripts.ASSERT.get(), List.of(name), args)))
                .containsExactly(1L);
    }

    /** Lettuce may send a command twice. */
    @Test
    void replacementThatIsSentTwiceIsWritten() {
        Grant grant = acquire("c1:1:1");
        assertThat(write(grant, "text", "")).isEqualTo(1);
        assertThat(write(grant, "text", "")).isEqualTo(1);
        assertThat(write(grant, "other", "")).isEqualTo(2);
        now(plain.release(name, grant.owner(), 0, 0));

        Grant next = acquire("c1:1:2");
        assertThat(write(next, "text", "")).isEqualTo(2);
        assertThat(write(next, "next", "text")).isEqualTo(1);
    }
}
