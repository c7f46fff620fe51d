package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks of several servers as one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiLockTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final RedisServer LEFT = RedisServer.shared();
    private static RedisServer right;
    private static LockClient leftHere;
    private static LockClient leftThere;
    private static LockClient rightHere;
    private static LockClient rightThere;

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");

    @BeforeAll
    static void open() {
        right = RedisServer.start();
        leftHere = client(LEFT);
        leftThere = client(LEFT);
        rightHere = client(right);
        rightThere = client(right);
    }

    private static LockClient client(RedisServer server) {
        LockClient client = Waits.client(server).watchdogTimeout(LEASE).build();
        // From here on the connections stand.
        client.getLock("first").lock();
        client.getLock("first").unlock();
        return client;
    }

    @AfterAll
    static void close() {
        List.of(leftHere, leftThere, rightHere, rightThere).forEach(LockClient::close);
        right.close();
    }

    private LeaseLock both() {
        return MultiLock.of(List.of(rightHere.getLock(b), leftHere.getLock(a)));
    }

    private boolean leftIsTaken() {
        return LEFT.cli().exists(a) == 1;
    }

    private boolean rightIsTaken() {
        return right.cli().exists(b) == 1;
    }

    @Test
    void lockThatNoClientOfThisLibraryReturnedIsRefused() {
        LeaseLock ours = leftHere.getLock(a);
        LeaseLock wrapped = (LeaseLock) Proxy.newProxyInstance(
                LeaseLock.class.getClassLoader(),
                new Class<?>[] {LeaseLock.class},
                (proxy, method, arguments) -> method.invoke(ours, arguments));
        assertThatThrownBy(() -> MultiLock.of(List.of(rightHere.getLock(b), wrapped)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + a + "' cannot be a part of another lock")
                .hasMessageContaining(wrapped.getClass().getName());
    }

    @Test
    void takesAllAndGivesAllBack() {
        try (Lease lease = both().acquire()) {
            assertThat(lease.isHeld() && lease.verify()).isTrue();
            assertThat(lease.remaining()).isPositive();
            assertThat(leftIsTaken() && rightIsTaken()).isTrue();
            assertThat(both().isLocked()).isTrue();
        }
        assertThat(leftIsTaken() || rightIsTaken()).isFalse();
        assertThat(both().isLocked()).isFalse();
    }

    @Test
    void takesNothingWhereOneIsBusy() {
        try (Lease other = rightThere.getLock(b).acquire()) {
            assertThat(both().tryAcquire()).isEmpty();
            assertThat(both().tryLock()).isFalse();
            assertThat(leftIsTaken()).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void minimumHoldIsNotKeptWhereOneIsBusy() {
        try (Lease other = rightThere.getLock(b).acquire()) {
            assertThat(both().tryAcquire(AcquireOptions.defaults().minHold(Duration.ofSeconds(20))))
                    .isEmpty();
            assertThat(leftIsTaken()).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void oneWaitIsTheBudgetForAll() throws Exception {
        Lease first = leftThere.getLock(a).acquire();
        Lease second = rightThere.getLock(b).acquire();
        long since = System.nanoTime();
        CompletableFuture<Boolean> waiting =
                CompletableFuture.supplyAsync(() -> tried(Duration.ofSeconds(2)), CriticalSection::onThread);
        Waits.awaitListeners(LEFT, a, 1);
        // More than half of the budget is used up on the first of them: time is the subject.
        Pause.of(Duration.ofMillis(1200));
        first.close();

        assertThat(waiting.get()).isFalse();
        assertThat(Waits.millisSince(since)).isBetween(2_000L, 2_000 + Waits.SOON_MILLIS);
        assertThat(leftIsTaken()).isFalse();
        second.close();
    }

    private boolean tried(Duration wait) {
        try {
            return both().tryLock(wait);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void everyErrorIsKept() {
        Lease other = rightThere.getLock(b).acquire();
        CompletableFuture<Lease> wanted = both().acquireAsync(AcquireOptions.defaults()
                        .waitAtMost(Duration.ofSeconds(1))
                        .lease(Duration.ofSeconds(10)))
                .toCompletableFuture();
        Await.until("the first is taken", Waits.LONG, this::leftIsTaken);
        LEFT.cli().del(a);

        assertThatThrownBy(wanted::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                    assertThat(busy.lockName()).isEqualTo("[" + a + ", " + b + "]");
                    assertThat(busy.holder())
                            .contains(rightThere.inspect(b).orElseThrow().owner());
                    assertThat(busy.getSuppressed())
                            .hasExactlyElementsOfTypes(LockNotAcquiredException.class, LeaseLostException.class);
                });
        other.close();
    }

    @Test
    void oppositeOrdersExcludeEachOtherAndNobodyWaitsForEver() throws Exception {
        List<LeaseLock> locks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            locks.add(MultiLock.of(List.of(leftHere.getLock(a), rightHere.getLock(b))));
            locks.add(MultiLock.of(List.of(rightThere.getLock(b), leftThere.getLock(a))));
        }
        CriticalSection section = new CriticalSection();

        section.enterUnder(locks, 15, CriticalSection::onThread);

        assertThat(section.count()).isEqualTo(15 * locks.size());
    }

    @Test
    void equalLocksCountOnceAndEqualMultiLocksAreOne() throws Exception {
        assertThat(MultiLock.of(List.of(leftHere.getLock(a), leftHere.getLock(a)))
                        .name())
                .isEqualTo("[" + a + "]");
        both().lock();
        assertThat(both().tryLock(Duration.ofSeconds(1), Duration.ofSeconds(1))).isTrue();
        assertThat(both().holdCount()).isEqualTo(2);
        assertThat(both().remainingLease()).isPositive();
        assertThat(both().fencingToken()).isPositive();
        both().unlock();
        assertThat(both().isHeldByCurrentThread()).isTrue();
        both().unlock();
        assertThat(leftIsTaken() || rightIsTaken()).isFalse();
        assertThatThrownBy(() -> both().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void losingOneIsLosingAllToldOnceAndTheRestIsFreed() throws Exception {
        CompletableFuture<Lease> acquired = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CriticalSection.onThread(() -> {
            acquired.complete(both().acquire(AcquireOptions.defaults().interruptOnLoss()));
            try {
                interrupted.complete(new CountDownLatch(1).await(20, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
        });
        Lease lease = acquired.get();
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);

        right.cli().del(b);

        Await.until("the rest is freed", LEASE, () -> !leftIsTaken());
        Await.until("the loss is told", LEASE, () -> !told.isEmpty());
        assertThat(interrupted.get()).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(told).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
        assertThat(told).extracting(LeaseLoss::fencingToken).containsExactly(lease.fencingToken());
    }

    @Test
    void lossIsFoundByTheReleaseWhichFreesTheRest() {
        both().lock();
        right.cli().del(b);

        assertThatThrownBy(() -> both().unlock())
                .isInstanceOf(LeaseLostException.class)
                .satisfies(lost -> assertThat(lost.getSuppressed()).hasSize(1));
        assertThat(leftIsTaken()).isFalse();
    }

    @Test
    void extensionReachesAllAndFindsALoss() {
        Lease lease = both().acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)));
        lease.extend(Duration.ofSeconds(30));
        assertThat(LEFT.cli().pttl(a)).isGreaterThan(20_000);
        assertThat(right.cli().pttl(b)).isGreaterThan(20_000);
        right.cli().del(b);

        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(40))).isInstanceOf(LeaseLostException.class);
        Await.until("the rest is freed", Waits.LONG, () -> !leftIsTaken());
    }

    @Test
    void holdOfADeadThreadIsRenewedNoLonger() throws Exception {
        Thread holder = new Thread(() -> both().lock());
        holder.start();
        holder.join();

        Await.until("the dead thread's locks are free", Waits.LONG, () -> !leftIsTaken() && !rightIsTaken());
        assertThat(both().tryLock()).isTrue();
        both().unlock();
    }

    @Test
    void serverThatIsDownIsNotBusyAndTheRestIsGivenBack() {
        RedisServer gone = RedisServer.start();
        try (LockClient dead = client(gone)) {
            dead.getLock("warm").acquire().close();
            gone.close();

            assertThatThrownBy(() -> MultiLock.of(List.of(leftHere.getLock(a), dead.getLock(b)))
                            .tryAcquire())
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(leftIsTaken()).isFalse();
        }
    }

    @Test
    void leaseThatEndsWhileAnotherIsWaitedForIsTakenAnew() {
        Lease other = rightThere.getLock(b).acquire();
        CompletableFuture<Lease> wanted = both().acquireAsync(
                        Waits.waiting(Waits.LONG).lease(Duration.ofSeconds(1)))
                .toCompletableFuture();
        Await.until("the first is taken", Waits.LONG, this::leftIsTaken);
        Await.until("its lease is over", Waits.LONG, () -> !leftIsTaken());

        other.close();

        Lease lease = Waits.get(wanted);
        assertThat(lease.isHeld()).isTrue();
        lease.close();
    }
}
