package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.thread.AbstractLease;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.proxy.Strike;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock on a majority of servers, some of which die, hang or come back. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumFaultsTest {

    private static final Duration LEASE = QuorumClients.LEASE;
    private static final Duration MAX_HOLD = Duration.ofSeconds(6);

    private final String name = Waits.name("quorum");

    @AutoClose
    private QuorumClients clients;

    private void start(int size) {
        clients = new QuorumClients(size);
    }

    @Test
    void longHoldSurvivesARestartOfEachServer() {
        clients = new QuorumClients(3, QuorumClients.SHORT_LEASE);
        LeaseLock lock = QuorumClients.lock(name, clients.application());
        // So that the tokens of the other servers must be raised.
        clients.servers.get(0).cli().incrby(LockKeys.TOKEN_KEY, TimeUnit.HOURS.toMicros(1));
        Lease lease = lock.acquire();
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);

        for (RedisServer server : clients.servers) {
            server.restart();
            assertThat(server.cli().exists(name))
                    .as("locks of a server without its data")
                    .isZero();
            Await.until("all have it again", Waits.LONG, () -> clients.taken(name) == 3);
        }

        assertThat(lease.isHeld() && lease.verify()).isTrue();
        for (RedisServer server : clients.servers) {
            assertThat(Long.parseLong(server.cli().get(LockKeys.TOKEN_KEY)))
                    .isGreaterThanOrEqualTo(FencingTokens.drawn(lease.fencingToken()));
        }
        lease.close();
        Await.until("all are free", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void leaseThatAllServersForgetIsLost() {
        start(3);
        List<LockClient> others = clients.application();
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        Lease lease = QuorumClients.lock(name, clients.application()).acquire();
        lease.onLost(told::add);
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);

        clients.servers.forEach(server -> server.cli().del(name));
        QuorumClients.lock(name, others).acquire().close();
        // The losses of the parts become known one after the other, so that there is time to request each part again.
        clients.proxies.get(1).delay(Duration.ofMillis(60));
        clients.proxies.get(2).delay(Duration.ofMillis(250));

        Await.until("the loss is told", LEASE, () -> !told.isEmpty());
        assertThat(told).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
        assertThat(lease.isHeld()).isFalse();
        Await.until("all are free", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void serverThatWasDownAtTheAcquisitionIsAskedAgain() {
        start(3);
        List<LockClient> application = clients.application();
        clients.servers.get(0).kill();
        Lease lease = QuorumClients.lock(name, application).acquire();

        clients.servers.get(0).restart();
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);
        clients.servers.get(1).kill();

        Waits.awaitRenewals(application.get(0), 2);
        Waits.awaitRenewals(application.get(2), 2);
        assertThat(lease.isHeld() && lease.verify()).isTrue();
        lease.close();
        Await.until("both others are free", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void maximumHoldCountsForAPartThatIsTakenAgain() {
        start(3);
        AcquireOptions limited = AcquireOptions.defaults().maxHold(MAX_HOLD);
        Lease lease = QuorumClients.lock(name, clients.application()).acquire(limited);
        RedisServer clock = clients.servers.get(0);
        clock.cli().psetex("after the maximum", MAX_HOLD.toMillis() * 7 / 6, "");
        // Time is the subject: the parts that are taken again begin much later.
        Pause.of(MAX_HOLD.dividedBy(3));
        for (RedisServer server : clients.servers) {
            // On a busy machine, the maximum may be over before all parts were taken again.
            Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3 || !lease.isHeld());
            server.cli().del(name);
        }

        Await.until("it is over", Waits.LONG, () -> clock.cli().exists("after the maximum") == 0);

        assertThat(lease.isHeld()).isFalse();
        assertThat(clients.taken(name)).isZero();
    }

    @Test
    void maximumHoldThatIsMadeLongerCountsForAPartThatIsTakenAgain() {
        start(3);
        AcquireOptions limited = AcquireOptions.defaults().maxHold(MAX_HOLD);
        List<LockClient> application = clients.application();
        Lease lease = QuorumClients.lock(name, application).acquire(limited);
        // The third part may join at this moment.
        lease.maxHold(Duration.ofMinutes(5));
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);
        for (int i = 0; i < clients.servers.size(); i++) {
            clients.servers.get(i).cli().del(name);
            Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);
            // Redis has the part before the client knows it. A second loss before that would be the loss of a majority.
            Waits.awaitRenewals(application.get(i), 1);
        }
        // Time is the subject: the first maximum is over.
        Pause.of(MAX_HOLD);

        assertThat(lease.isHeld() && lease.verify()).isTrue();
        lease.close();
    }

    /** A part counts only if its server draws greater tokens for whoever comes next. */
    @Test
    void partWhoseServerWasNotRaisedIsGivenBackAndTakenAgain() {
        start(3);
        LeaseLock lock = QuorumClients.lock(name, clients.application());
        long ahead = (System.currentTimeMillis() + 60_000) * 1_000;
        clients.servers.get(0).cli().set(LockKeys.TOKEN_KEY, Long.toString(ahead));
        Strike unanswered = clients.proxies.get(1).swallowReplyOf(ScriptTraffic.RAISE, FaultProxy.Then.CLOSE);
        // So that the first two grant it first.
        clients.proxies.get(2).holdBack(Direction.TO_CLIENT);
        CompletableFuture<Lease> acquired =
                lock.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
        unanswered.await();
        clients.proxies.get(2).heal();
        Lease lease = Waits.get(acquired);
        // As if the request had not been executed.
        RedisServer server = clients.servers.get(1);
        server.cli().set(LockKeys.TOKEN_KEY, "1");

        Await.until(
                "its server is raised",
                Waits.LONG,
                () -> Long.parseLong(server.cli().get(LockKeys.TOKEN_KEY)) >= ahead);

        assertThat(server.cli().exists(name)).isOne();
        lease.close();
    }

    /** The longest command timeout of its clients. */
    @Test
    void releaseIsWaitedForAsLongAsForACommand() {
        start(3);
        Lease lease = QuorumClients.lock(name, clients.application(Duration.ofMillis(300)))
                .acquire();

        assertThat(((AbstractLease) lease).releasePatienceNanos())
                .isEqualTo(Duration.ofMillis(300).toNanos());
        lease.close();
    }

    @Test
    void isLostBeforeItsEndWhereAMajorityIsDead() {
        clients = new QuorumClients(3, QuorumClients.SHORT_LEASE);
        LeaseLock lock = QuorumClients.lock(name, clients.application());
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        Lease lease = lock.acquire();
        lease.onLost(told::add);
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);
        long since = System.nanoTime();

        clients.servers.get(1).kill();
        clients.servers.get(2).kill();

        long[] lastHeld = new long[1];
        Await.until("it is over", Waits.LONG, () -> {
            long now = Waits.millisSince(since);
            boolean held = lease.isHeld();
            if (held) {
                lastHeld[0] = now;
            }
            return !held;
        });
        assertThat(lastHeld[0]).as("ms for which it was surely held").isLessThan(QuorumClients.SHORT_LEASE.toMillis());
        Await.until("the loss is told", Await.PATIENCE, () -> !told.isEmpty());
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(told).hasSize(1);
        Await.until("the living one is freed", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void silentMinorityDelaysNobodyAndJoinsLate() {
        start(5);
        List<LockClient> application = clients.application(Duration.ofMinutes(5));
        for (int silent : List.of(0, 3)) {
            clients.proxies.get(silent).holdBack(Direction.TO_CLIENT);
        }
        long since = System.nanoTime();

        Lease lease = QuorumClients.lock(name, application).acquire();

        Waits.assertSoon(since, Duration.ZERO);
        assertThat(lease.isHeld()).isTrue();
        long released = System.nanoTime();
        clients.proxies.forEach(FaultProxy::heal);
        Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 5);
        lease.close();
        Waits.assertSoon(released, Duration.ZERO);
        Await.until("all are free", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void lateGrantOfALeaseThatIsReleasedIsGivenBack() {
        start(5);
        List<LockClient> application = clients.application(Duration.ofMinutes(5));
        clients.proxies.get(4).holdBack(Direction.TO_CLIENT);

        QuorumClients.lock(name, application).acquire().close();
        Await.until("only the silent one has it", Waits.LONG, () -> clients.taken(name) == 1);
        clients.proxies.get(4).heal();

        Await.until("all are free", LEASE.dividedBy(2), () -> clients.taken(name) == 0);
    }

    @Test
    void nameThatIsHeldAsAnotherKindOnTwoOfThreeServersIsNoOutage() {
        start(3);
        List<LockClient> application = clients.application();
        Lease first = application.get(0).getLock(name, LockKind.FAIR).acquire();
        Lease second = application.get(1).getLock(name, LockKind.FAIR).acquire();

        assertThatThrownBy(() -> QuorumClients.lock(name, application).acquire(Waits.waiting(Duration.ofMillis(500))))
                .isInstanceOf(WrongLockKindException.class)
                .hasMessageContaining("held as a fair lock");

        first.close();
        second.close();
    }

    @Test
    void noMajorityIsDownAndNotBusy() {
        start(3);
        List<LockClient> application = clients.application();
        clients.servers.get(0).kill();
        clients.servers.get(1).kill();

        assertThatThrownBy(() -> QuorumClients.lock(name, application).acquire(Waits.waiting(Duration.ofMillis(500))))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("2 of its 3 servers")
                .satisfies(down -> assertThat(down.getSuppressed())
                        .hasSize(2)
                        .hasOnlyElementsOfType(LockUnavailableException.class));
        Await.until("the living one is given back", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void busyMajorityIsBusyThoughOneIsDown() {
        start(3);
        List<LockClient> application = clients.application();
        List<LockClient> others = clients.application();
        try (Lease held = QuorumClients.lock(name, others).acquire()) {
            Await.until("all have it", Waits.LONG, () -> clients.taken(name) == 3);
            clients.servers.get(2).kill();

            assertThatThrownBy(
                            () -> QuorumClients.lock(name, application).acquire(Waits.waiting(Duration.ofMillis(500))))
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void lockEndsWhereAMajorityRefusesForGood() {
        start(3);
        List<LockClient> application = clients.application();
        application.get(0).close();
        application.get(2).close();

        assertThatThrownBy(() -> QuorumClients.lock(name, application).lock())
                .isInstanceOf(LockUnavailableException.class);
        Await.until("the third is given back", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void lockWaitsThroughAnOutageOfAMajority() throws Exception {
        start(3);
        List<LockClient> application = clients.application();
        LeaseLock lock = QuorumClients.lock(name, application);
        clients.servers.get(0).kill();
        clients.servers.get(1).kill();
        AtomicBoolean locked = new AtomicBoolean();
        CompletableFuture<Void> holder = CompletableFuture.runAsync(
                () -> {
                    lock.lock();
                    locked.set(true);
                    lock.unlock();
                },
                CriticalSection::onThread);
        // Time is the subject: nothing happens while they are gone.
        Pause.of(Duration.ofMillis(700));
        assertThat(locked).isFalse();

        clients.servers.get(0).restart();

        Waits.get(holder);
        assertThat(locked).isTrue();
    }
}
