package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.questions;
import static dev.holdfast.lock.redis.fixture.Waits.waiting;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WaitBudgetTest {

    private static final Duration COMMAND = Duration.ofMillis(700);
    private static final Duration WAIT = Duration.ofMillis(900);
    private static final long MARGIN_MILLIS = 500;

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final LockClient holder = Waits.client(server).build();
    private final LockClient client = Waits.client(proxy)
            .commandTimeout(COMMAND)
            .pollInterval(Duration.ofMillis(200))
            .build();
    private final String name = name("budget");

    @AfterEach
    void close() {
        client.close();
        holder.close();
        proxy.close();
    }

    @Test
    void outageThatPassesIsWaitedThrough() {
        held(client, name).close();
        proxy.refuseConnections();
        proxy.resetConnections();
        CompletableFuture<Lease> wanted = wanted(client, name);
        assertThat(wanted).isNotDone();

        proxy.heal();

        assertThat(get(wanted).isHeld()).isTrue();
    }

    @Test
    void silenceToTheEndIsNotTakenForABusyLock() {
        held(client, name).close();
        proxy.blackHole();

        endsInTime(LockUnavailableException.class);
    }

    @Test
    void busyLockAtTheEndIsBusyAndTellsByWhom() {
        Lease lease = held(holder, name);

        endsInTime(LockNotAcquiredException.class);

        assertThatThrownBy(() -> client.getLock(name).acquire(waiting(Duration.ofMillis(50))))
                .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                    assertThat(busy.holder()).contains(owner());
                    assertThat(busy.remainingLease().orElseThrow()).isBetween(Duration.ofSeconds(1), Waits.LONG);
                });
        assertThat(lease.isHeld()).isTrue();
    }

    private String owner() {
        return holder.inspect(name).orElseThrow().owner();
    }

    private void endsInTime(Class<? extends Exception> how) {
        long began = System.nanoTime();
        assertThatThrownBy(() -> client.getLock(name).acquire(waiting(WAIT))).isInstanceOf(how);
        assertThat(millisSince(began))
                .isBetween(WAIT.toMillis() - 10, WAIT.plus(COMMAND).toMillis() + MARGIN_MILLIS);
    }

    @Test
    void tryBehindWaitersIsRefusedAtOnceWithoutAQuestion() {
        try (RedisServer own = RedisServer.start();
                LockClient other = Waits.client(own).build();
                LockClient waiter =
                        Waits.client(own).pollInterval(Duration.ofMinutes(1)).build()) {
            Lease lease = held(other, name);
            for (int i = 0; i < 100; i++) {
                wanted(waiter, name);
            }
            awaitListeners(own, name, 1);
            dev.holdfast.lock.testing.Await.until("asked again", Waits.LONG, () -> questions(own) == 3);

            assertThat(waiter.getLock(name).tryLock()).isFalse();
            assertThat(waiter.getLock(name).tryAcquire()).isEmpty();

            assertThat(questions(own)).isEqualTo(3);
            assertThat(lease.isHeld()).isTrue();
        }
    }
}
