package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks of several servers as one. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
    void equalLocksCountOnce() {
        assertThat(MultiLock.of(List.of(leftHere.getLock(a), leftHere.getLock(a)))
                        .name())
                .isEqualTo("[" + a + "]");
    }

    @Test
    void leaseLastsAsLongAsItsShortestPart() {
        try (LockClient patient = Waits.client(right).build();
                Lease lease = MultiLock.of(List.of(patient.getLock(b), leftHere.getLock(a)))
                        .acquire()) {
            assertThat(lease.remaining()).isBetween(Duration.ofNanos(1), LEASE);
        }
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
}
