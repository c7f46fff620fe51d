package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loss is one line, which says what was lost and what probably led to it; an outage is few lines, however much it costs. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class LossLogTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** Long enough for every lease to be lost and every kind of retry to come round many times; a minute when asked. */
    private static final Duration OUTAGE = Duration.ofSeconds(Nightly.Night.isOn() ? 60 : 4);

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final RecordingListener heard = new RecordingListener();
    private final LogLines log = LogLines.record();

    @AfterEach
    void close() {
        log.close();
        proxy.close();
    }

    private LockClient client() {
        return Waits.client(proxy).watchdogTimeout(LEASE).listener(heard).build();
    }

    private String lineOf(Lease lease, String name) {
        heard.awaitLosses(1);
        List<String> lines = log.warningsThat(text -> text.contains(name));
        assertThat(lines).hasSize(1);
        String line = lines.get(0);
        assertThat(line)
                .contains("token " + lease.fencingToken() + ",", "owner ")
                .containsPattern(" after [0-9.]+ m?s, last confirmed [0-9.]+ m?s ago: ")
                .contains(heard.losses.get(0).probableCause());
        return line;
    }

    @Test
    void lossInRedisSaysOnOneLineThatTheKeyIsGone() {
        String name = "{0}\nforged" + Waits.name("gone");
        try (LockClient client = client()) {
            Lease lease = Waits.held(client, name);
            server.cli().del(name);
            assertThat(lineOf(lease, "{0}\\u000aforged" + name.substring(10)))
                    .contains("key deleted")
                    .doesNotContain("\n");
            assertThat(heard.losses.get(0).cause()).isEqualTo(LossCause.GONE);
        }
    }

    @Test
    void lossByOutageSaysThatRenewalsFailedAndWhy() {
        try (LockClient client = client()) {
            Lease lease = Waits.held(client, Waits.name("silent"));
            proxy.blackHole();
            assertThat(lineOf(lease, lease.lockName())).contains("Redis failed ", "the last with: no");
            assertThat(heard.losses.get(0).cause()).isEqualTo(LossCause.UNCONFIRMED);
            proxy.heal();
        }
    }

    @Test
    void outageWithHeldAndWaitingLocksIsFewLines() {
        int locks = 60;
        String name = Waits.name("outage");
        try (LockClient client = client();
                LockClient elsewhere = Waits.client(server).build()) {
            List<Lease> held = java.util.stream.IntStream.range(0, locks)
                    .mapToObj(i -> Waits.held(client, name + "-" + i))
                    .toList();
            Lease wanted = Waits.held(elsewhere, name + "-wanted");
            for (int i = 0; i < locks; i++) {
                client.getLock(wanted.lockName()).acquireAsync(Waits.waiting(OUTAGE.plusSeconds(20)));
                client.getLock(name + "-" + i).acquireAsync(Waits.waiting(OUTAGE.plusSeconds(20)));
            }
            Waits.awaitListeners(server, wanted.lockName(), 1);
            proxy.refuseConnections();
            proxy.resetConnections();

            // Time is the subject: nothing may be said again and again.
            Pause.of(OUTAGE);
            heard.awaitLosses(locks);

            assertThat(heard.losses).hasSize(locks);
            assertThat(held).noneMatch(Lease::isHeld);
            proxy.heal();
            Await.until(
                    "Redis is reached again",
                    TwoClients.PATIENCE,
                    () -> log.lines().stream()
                                    .filter(line -> line.contains("again"))
                                    .count()
                            >= 2);
            wanted.close();
        }
        assertThat(log.lines()).hasSizeLessThan(20);
        assertThat(log.lines()).anyMatch(line -> line.contains(" more leases"));
    }

    @Test
    void hangIsToldOnceAndItsEndToo() {
        String name = Waits.name("hanging");
        try (LockClient client =
                Waits.client(proxy).commandTimeout(Duration.ofMillis(300)).build()) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            for (int hang = 1; hang <= 2; hang++) {
                proxy.holdBack();
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> client.getLock(name).tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                }
                int times = hang;
                Await.until("the hang is logged", Waits.LONG, () -> commandsLines("cannot be reached") == times);
                proxy.heal();
                Await.until("its end is logged", Waits.LONG, () -> commandsLines("Connected to Redis again") == times);
                client.getLock(name).tryAcquire().orElseThrow().close();
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("(connection for commands)"))
                    .hasSize(4);
        }
    }

    private long commandsLines(String text) {
        return log.lines().stream()
                .filter(line -> line.contains(text) && line.contains("(connection for commands)"))
                .count();
    }
}
