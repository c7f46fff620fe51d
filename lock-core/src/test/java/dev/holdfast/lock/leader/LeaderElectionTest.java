package dev.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What listeners may do to an election. Elections among several instances are tested on the virtual clock of lock-test. */
@Timeout(Await.TEST_SECONDS)
class LeaderElectionTest {

    private final RedisServer server = RedisServer.shared();
    private final LockClient client = Waits.client(server).build();
    private final LockClient other = Waits.client(server).build();
    private final String name = Waits.name("leader");
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private final CountDownLatch revoked = new CountDownLatch(1);

    /** Does not return from the end of a leadership until it may. */
    private final LeaderListener slow = new LeaderListener() {
        @Override
        public void onRevoked(LeaderEvent.Revoked event) {
            revoked.countDown();
            awaitReturn();
        }
    };

    @AfterEach
    void close() {
        mayReturn.countDown();
        client.close();
        other.close();
    }

    private LeaderElection started(Duration stepDownLimit, LeaderListener listener) {
        LeaderElection election = new LeaderElection(client.getLock(name), AcquireOptions.defaults(), stepDownLimit);
        election.addListener(listener);
        election.start();
        Await.until("leads", Waits.LONG, election::isLeader);
        return election;
    }

    private void awaitReturn() {
        try {
            mayReturn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void listenerThatThrowsChangesNothing() {
        LeaderElection election = started(Waits.LONG, new LeaderListener() {
            @Override
            public void onGranted(LeaderEvent.Granted event) {
                throw new IllegalStateException("thrown by a listener");
            }

            @Override
            public void onRevoked(LeaderEvent.Revoked event) {
                throw new AssertionError("thrown by a listener");
            }
        });
        election.addListener(new LeaderListener() {
            @Override
            public void onRevoked(LeaderEvent.Revoked event) {
                events.add(event.name());
            }
        });
        long token = election.fencingToken().orElseThrow();

        election.stepDown();
        Await.until("leads again", Waits.LONG, () -> election.fencingToken().orElse(0) > token);
        assertThat(events).containsExactly(name);
        election.close();
        assertThat(client.getLock(name).isLocked()).isFalse();
    }

    @Test
    void lockIsReleasedWhenListenersHaveReturned() throws Exception {
        LeaderElection election = started(Waits.LONG, slow);
        var stopped = election.stopAsync().toCompletableFuture();
        revoked.await();
        assertThat(election.isLeader()).isFalse();
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        assertThat(stopped).isNotDone();

        mayReturn.countDown();
        stopped.join();
        assertThat(client.getLock(name).isLocked()).isFalse();
    }

    @Test
    void listenerThatNeverReturnsDelaysTheNextLeaderOnlyUntilTheLimit() {
        LeaderElection election = started(Duration.ofMillis(200), slow);
        election.close();
        try (LeaderElection next = LeaderElection.of(other.getLock(name))) {
            next.start();
            Await.until("the next one leads", Waits.LONG, next::isLeader);
        }
    }

    @Test
    void interruptedThreadClosesWithoutAWaitAndStaysInterrupted() {
        LeaderElection election = started(Waits.LONG, slow);
        Thread.currentThread().interrupt();

        election.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void instanceIsNoCandidateWhileItsListenerIsAtWork() {
        LeaderElection election = started(Waits.LONG, new LeaderListener() {
            @Override
            public void onGranted(LeaderEvent.Granted event) {
                awaitReturn();
                events.add("returned");
            }

            @Override
            public void onRevoked(LeaderEvent.Revoked event) {
                events.add("revoked");
            }
        });
        client.forceRelease(name);
        election.stepDown();
        assertThat(election.isLeader()).isFalse();
        assertThat(other.getLock(name)
                        .tryAcquire(Waits.waiting(Waits.LONG))
                        .orElseThrow()
                        .isHeld())
                .isTrue();
        assertThat(client.statistics().waiting()).isZero();

        mayReturn.countDown();
        Await.until("waits again", Waits.LONG, () -> client.statistics().waiting() == 1);
        assertThat(events).containsExactly("returned", "revoked");
        election.close();
        Await.until("waits no more", Waits.LONG, () -> client.statistics().waiting() == 0);
    }

    @Test
    void candidateTriesAgainWhenTheLockCouldNotBeAskedFor() {
        server.cli().set(name, "not a lock");
        try (LogLines log = LogLines.record();
                LeaderElection election = LeaderElection.of(client.getLock(name))) {
            election.start();
            Await.until("was refused", Waits.LONG, () -> log.lines().stream().anyMatch(line -> line.contains(name)));
            server.cli().del(name);
            Await.until("leads", Waits.LONG, election::isLeader);
        }
    }

    @Test
    void instanceLeadsAndHearsOfItsLossWhileThreadsOfCallersAreBusy() {
        List<Runnable> neverRun = new CopyOnWriteArrayList<>();
        try (LockClient busy =
                Waits.client(server).callbackExecutor(neverRun::add).build()) {
            LeaderElection election = LeaderElection.of(busy.getLock(name), Duration.ofSeconds(6));
            election.addListener(new LeaderListener() {
                @Override
                public void onRevoked(LeaderEvent.Revoked event) {
                    events.add("revoked");
                }
            });
            election.start();
            Await.until("leads", Waits.LONG, election::isLeader);
            long token = election.fencingToken().orElseThrow();

            other.forceRelease(name);
            Await.until("leads again", Waits.LONG, () -> election.fencingToken().orElse(0) > token);
            assertThat(events).containsExactly("revoked");
            election.close();
            assertThat(other.getLock(name).isLocked()).isFalse();
        }
    }

    @Test
    void stopEndsOnlyWhenALockGrantedMeanwhileIsFree() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient distant = Waits.client(proxy).build()) {
            distant.connected().toCompletableFuture().join();
            LeaderElection election = LeaderElection.of(distant.getLock(name));
            proxy.holdBack(FaultProxy.Direction.TO_CLIENT);
            election.start();
            Await.until(
                    "Redis has granted the lock",
                    Waits.LONG,
                    () -> other.getLock(name).isLocked());
            var stopped = election.stopAsync().toCompletableFuture();
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stopped.get(200, TimeUnit.MILLISECONDS));

            proxy.heal();
            stopped.join();
            assertThat(other.getLock(name).isLocked()).isFalse();
        }
    }

    @Test
    void lockWhoseGrantArrivesWhileTheElectionStopsIsReleased() {
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient distant = Waits.client(proxy).build()) {
            distant.connected().toCompletableFuture().join();
            LeaderElection election = LeaderElection.of(distant.getLock(name));
            // If the grant arrived before start() waits for it, this thread would process it.
            proxy.holdBack(FaultProxy.Direction.TO_CLIENT);
            synchronized (election) {
                election.start();
                proxy.heal();
                Await.until("the grant waits for the election", Waits.LONG, LeaderElectionTest::grantWaits);
                election.stopAsync();
            }
            Await.until(
                    "the lock is free", Waits.LONG, () -> !other.getLock(name).isLocked());
            assertThat(election.isLeader()).isFalse();
        }
    }

    private static boolean grantWaits() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getState() == Thread.State.BLOCKED
                        && Stream.of(thread.getValue())
                                .anyMatch(call -> call.getMethodName().equals("answered")
                                        && call.getClassName().equals(LeaderElection.class.getName())));
    }

    @Test
    void lockThatSeveralCanHoldIsRefused() {
        LeaseLock read = client.getLock(name, LockKind.READ);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaderElection.of(read))
                .withMessageContaining(name)
                .withMessageContaining("READ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaderElection.of(MultiLock.of(List.of(read, other.getLock(name, LockKind.READ)))));
        assertThat(LeaderElection.of(MultiLock.of(List.of(read, client.getLock(name + "-alone"))))
                        .isLeader())
                .isFalse();
    }
}
