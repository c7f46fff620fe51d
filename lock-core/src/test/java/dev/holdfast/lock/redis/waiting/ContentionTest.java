package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever is refused a lock is told who has it, as far as Redis knows, and is told "busy" whatever becomes of that request. */
@Timeout(Await.TEST_SECONDS)
class ContentionTest {

    private static final Duration COMMAND = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final String name = Waits.name("contended");
    private final LockClient holder =
            Waits.client(server).clientName("billing@host-7").build();
    private final LockClient refused =
            Waits.client(proxy).commandTimeout(COMMAND).build();
    private Lease lease;

    @BeforeEach
    void hold() {
        lease = Waits.held(holder, name);
        Await.until("the holder is named", TwoClients.PATIENCE, () -> found().clientName() != null);
    }

    @AfterEach
    void close() {
        lease.close();
        refused.close();
        holder.close();
        proxy.close();
    }

    private Holder found() {
        return refused.inspect(name).orElseThrow().holder();
    }

    private LockNotAcquiredException busy() {
        return catchThrowableOfType(
                LockNotAcquiredException.class, () -> refused.getLock(name).acquire(Waits.waiting(Duration.ZERO)));
    }

    @Test
    void holderOfAnotherLibraryHasNeitherNameNorBeginning() {
        String foreign = Waits.name("foreign");
        server.cli().hset(foreign, "5f6c:17", "1");
        server.cli().pexpire(foreign, 30_000);
        assertThatThrownBy(() -> refused.getLock(foreign).acquire(Waits.waiting(Duration.ZERO)))
                .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                    Holder told = busy.holderDetails().orElseThrow();
                    assertThat(told.owner()).isEqualTo("5f6c:17");
                    assertThat(told.clientName()).isNull();
                    assertThat(told.since()).isNull();
                    assertThat(busy.getMessage()).contains("(thread 17)").doesNotContain("null");
                });
        server.cli().del(foreign);
    }

    @Test
    void nameFromRedisCannotForgeALogLine() {
        server.cli().set(LockKeys.CLIENT_KEY + found().client(), "a\nINFO forged " + "x".repeat(500));
        LockNotAcquiredException busy = busy();
        assertThat(busy.getMessage()).contains("a\\u000aINFO forged").doesNotContain("\n");
        assertThat(busy.holderDetails().orElseThrow().clientName()).hasSize(200);
    }

    @Test
    void requestWithoutAnAnswerDoesNotHideBusy() {
        var swallowed = proxy.swallowReplyOf(ScriptTraffic.INSPECT, Then.STAY_SILENT);
        long began = System.nanoTime();
        LockNotAcquiredException busy = busy();
        assertThat(swallowed.hasStruck()).isTrue();
        Waits.assertSoon(began, COMMAND);
        assertThat(busy.holderDetails()).isEmpty();
        assertThat(busy.holder()).as("from the refusal itself").isPresent();
    }
}
