package dev.holdfast.lock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class HoldfastLockProviderTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @AutoClose
    private static LockClient client;

    @BeforeAll
    static void start() {
        client = RedisLockClient.builder(RedisSource.of(RedisServer.shared().uri()))
                .pollInterval(Duration.ofMinutes(10))
                .build();
    }

    private final String name = "job-" + UUID.randomUUID();
    private final HoldfastLockProvider provider = new HoldfastLockProvider(client);

    private LockConfiguration config(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }

    /** On a busy machine, the answer to a question for a few milliseconds may come after these. That lock is none. */
    static ExtensibleLockProvider askingAgain(HoldfastLockProvider provider) {
        return configuration -> {
            for (int late = 0; ; late++) {
                try {
                    return provider.lock(configuration);
                } catch (LockUnavailableException e) {
                    if (late == 20) {
                        throw e;
                    }
                }
            }
        };
    }

    private SimpleLock lock(HoldfastLockProvider from, Duration atMost, Duration atLeast) {
        return askingAgain(from).lock(config(atMost, atLeast)).orElseThrow();
    }

    private long pttl() {
        return RedisServer.shared().cli().pttl(name);
    }

    @Test
    void extensionCanShortenALease() {
        SimpleLock lock = lock(provider, LONG, Duration.ZERO);
        Optional<SimpleLock> shorter = lock.extend(Duration.ofSeconds(3), Duration.ZERO);
        assertThat(shorter).isPresent();
        Await.until("the lock is free", Await.PATIENCE, () -> pttl() < 0);
        SimpleLock next = lock(provider, LONG, Duration.ZERO);
        assertThatCode(() -> shorter.get().unlock()).doesNotThrowAnyException();
        assertThat(pttl()).isPositive();
        next.unlock();
    }

    @Test
    void extensionSetsANewMinimumHold() {
        SimpleLock lock = lock(provider, LONG, Duration.ofMinutes(9));
        lock.extend(LONG, Duration.ofMinutes(1)).orElseThrow().unlock();
        assertThat(pttl()).isBetween(1L, Duration.ofMinutes(1).toMillis());
    }

    @Test
    void extensionReachesBeyondTheFirstLease() {
        SimpleLock lock = lock(provider, Duration.ofSeconds(30), Duration.ZERO);
        SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
        assertThat(pttl()).isGreaterThan(Duration.ofMinutes(9).toMillis());
        assertThat(HoldfastLockProvider.currentLease().orElseThrow().remaining())
                .isGreaterThan(Duration.ofMinutes(9));
        extended.unlock();
        assertThat(pttl()).isNegative();
    }

    @Test
    void extensionOfALostLockFails() {
        SimpleLock lock = lock(provider, LONG, Duration.ZERO);
        RedisServer.shared().cli().del(name);
        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
        assertThat(HoldfastLockProvider.currentLease()).isEmpty();
    }

    @Test
    void everyLengthThatShedLockAcceptsIsAccepted() {
        for (Duration atMost : new Duration[] {
            Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(9), Duration.ofHours(24), Duration.ofDays(400)
        }) {
            SimpleLock lock = lock(provider, atMost, Duration.ZERO);
            assertThat(pttl()).isLessThanOrEqualTo(Duration.ofHours(24).toMillis());
            lock.unlock();
            // On a busy machine the shortest one is over before it is unlocked, and then Redis ends it.
            Await.until("free", Await.PATIENCE, () -> pttl() < 0);
        }
    }

    @Test
    void leaseOfMoreThanADayIsRenewedUntilItsEnd() {
        SimpleLock lock = lock(provider, Duration.ofDays(3), Duration.ZERO);
        assertThat(client.heldLocks())
                .filteredOn(held -> held.lockName().equals(name))
                .singleElement()
                .satisfies(held -> assertThat(held.renewed()).isTrue());
        lock.unlock();
    }

    @Test
    void minimumHoldOfMoreThanADayIsADay() {
        lock(provider, Duration.ofDays(3), Duration.ofDays(2)).unlock();
        assertThat(pttl()).isGreaterThan(Duration.ofHours(23).toMillis());
        assertThat(client.forceRelease(name)).isTrue();
    }

    @Test
    void waitingProviderIsWokenByTheRelease() throws Exception {
        SimpleLock held = lock(provider, LONG, Duration.ZERO);
        CompletableFuture<SimpleLock> waiting = CompletableFuture.supplyAsync(
                () -> lock(provider.waitAtMost(Duration.ofMinutes(5)), LONG, Duration.ZERO));
        Await.until(
                "it waits",
                Await.PATIENCE,
                () -> client.waitingLocks().stream()
                        .anyMatch(wait -> wait.lockName().equals(name)));
        held.unlock();
        waiting.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).unlock();
    }

    @Test
    void renewingProviderKeepsTheLockOfALongTask() {
        Duration atMost = Duration.ofSeconds(6);
        long renewals = client.statistics().renewals();
        SimpleLock lock = lock(provider.renewing(), atMost, Duration.ZERO);
        Lease lease = HoldfastLockProvider.currentLease().orElseThrow();
        Await.until("it is renewed", Await.PATIENCE, () -> client.statistics().renewals() > renewals);
        assertThat(lease.isHeld()).isTrue();
        assertThat(pttl()).isBetween(1L, atMost.toMillis());
        lock.unlock();
        assertThat(pttl()).isNegative();
    }

    @Test
    void currentLeaseHasAFencingTokenThatGrows() {
        SimpleLock first = lock(provider, LONG, Duration.ZERO);
        long token = HoldfastLockProvider.currentLease().orElseThrow().fencingToken();
        first.unlock();
        assertThat(HoldfastLockProvider.currentLease()).isEmpty();
        SimpleLock second = lock(provider, LONG, Duration.ZERO);
        assertThat(HoldfastLockProvider.currentLease().orElseThrow().fencingToken())
                .isGreaterThan(token);
        second.unlock();
    }

    @Test
    void innerLockIsTheCurrentOneUntilItIsUnlocked() {
        SimpleLock outer = lock(provider, LONG, Duration.ZERO);
        SimpleLock inner = provider.lock(new LockConfiguration(Instant.now(), name + "-inner", LONG, Duration.ZERO))
                .orElseThrow();
        assertThat(HoldfastLockProvider.currentLease().orElseThrow().lockName()).isEqualTo(name + "-inner");
        inner.unlock();
        assertThat(HoldfastLockProvider.currentLease().orElseThrow().lockName()).isEqualTo(name);
        outer.unlock();
    }

    @Test
    void redisThatCannotBeAskedIsNoBusyLock() {
        try (LockClient stopped = RedisLockClient.builder(RedisSource.of("redis://127.0.0.1:1"))
                .commandTimeout(Duration.ofMillis(100))
                .build()) {
            assertThatThrownBy(() -> new HoldfastLockProvider(stopped).lock(config(LONG, Duration.ZERO)))
                    .isInstanceOf(LockUnavailableException.class);
        }
    }
}
