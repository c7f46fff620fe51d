package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** What happens to locks, as events of the application. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class LockEventsTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String name = "events-" + UUID.randomUUID();
    private final Hearing hearing = new Hearing();
    private final ApplicationContextRunner application =
            Contexts.on(RedisServer.shared()).withBean(Hearing.class, () -> hearing);

    @Test
    void acquiredBusyAndReleasedAreHeardInOrder() {
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            try (Lease lease = client.getLock(name).acquire()) {
                assertThat(client.getLock(name)
                                .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                        .isEmpty();
                assertThat(lease.isHeld()).isTrue();
            }
            Await.until("all three are heard", LIMIT, () -> hearing.heard.size() == 3);
            assertThat(hearing.heard)
                    .allMatch(event -> event.lockName().equals(name))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("Acquired", "TimedOut", "Released");
        });
    }

    @Test
    void lossIsHeard() {
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            Lease lease = client.getLock(name).acquire();
            client.forceRelease(name);
            assertThat(lease.verify()).isFalse();
            Await.until("the loss is heard", LIMIT, () -> hearing.heard.stream().anyMatch(LeaseLoss.class::isInstance));
        });
    }

    @Test
    void leaseThatAnotherHolderPassedOnIsHeardAsTakenOver() {
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            // A grant is passed on only while it is young, which it may not be on a busy machine: then once more.
            Await.until("a lease is heard as taken over", LIMIT, () -> {
                Lease lease = client.getLock(name).acquire();
                CompletionStage<Lease> waiter = client.getLock(name).acquireAsync(AcquireOptions.defaults());
                Await.until("one waits", LIMIT, () -> client.statistics().waiting() == 1);
                lease.close();
                waiter.toCompletableFuture()
                        .orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join()
                        .close();
                return takenOver().contains(true);
            });
            assertThat(takenOver()).startsWith(false);
        });
    }

    private List<Boolean> takenOver() {
        return hearing.heard.stream()
                .filter(LockEvent.Acquired.class::isInstance)
                .map(event -> ((LockEvent.Acquired) event).takenOver())
                .toList();
    }

    @Test
    void troubleInAnOutageIsHeard() {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port())) {
            application
                    .withPropertyValues("spring.data.redis.port=" + proxy.port(), "holdfast.watchdog-timeout=6s")
                    .run(context -> {
                        LockClient client = context.getBean(LockClient.class);
                        Lease lease = client.getLock(name).acquire();
                        proxy.blackHole();
                        assertThatThrownBy(() -> client.getLock(name + "-other").tryAcquire())
                                .isInstanceOf(LockUnavailableException.class);
                        for (Class<?> kind : List.of(
                                LockEvent.RenewalTrouble.class,
                                LockEvent.Unavailable.class,
                                LockEvent.TakenBack.class,
                                LeaseLoss.class)) {
                            Await.until(
                                    kind.getSimpleName() + " is heard",
                                    LIMIT,
                                    () -> hearing.heard.stream().anyMatch(kind::isInstance));
                        }
                        assertThat(lease.isHeld()).isFalse();
                        assertThat(hearing.heard)
                                .filteredOn(LockEvent.RenewalTrouble.class::isInstance)
                                .allMatch(event -> event.lockName().equals(name));
                        proxy.heal();
                    });
        }
    }

    @Test
    void listenerThatThrowsAtALossCostsNoOtherLockAndHoldsUpNoCallback() {
        hearing.failing = true;
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            Lease lost = client.getLock(name).acquire();
            try (Lease kept = client.getLock(name + "-kept").acquire()) {
                CompletableFuture<LeaseLoss> told = new CompletableFuture<>();
                lost.onLost(told::complete);
                client.forceRelease(name);
                assertThat(lost.verify()).isFalse();
                assertThat(told).succeedsWithin(LIMIT);
                Await.until(
                        "the loss is heard", LIMIT, () -> hearing.heard.stream().anyMatch(LeaseLoss.class::isInstance));
                assertThat(kept.verify()).isTrue();
            }
        });
    }

    @Test
    void listenerThatThrowsCostsNoLockAndHearsTheNextEvent() {
        hearing.failing = true;
        application.run(context -> {
            for (int i = 0; i < 3; i++) {
                context.getBean(LockClient.class).getLock(name).acquire().close();
            }
            Await.until("everything is heard", LIMIT, () -> hearing.heard.size() == 6);
        });
    }

    @Test
    void listenerThatBlocksCostsNoLock() {
        CountDownLatch end = new CountDownLatch(1);
        hearing.end = end;
        application.withPropertyValues("holdfast.watchdog-timeout=9s").run(context -> {
            LockClient client = context.getBean(LockClient.class);
            try (Lease lease = client.getLock(name).acquire()) {
                Await.until("the listener blocks", LIMIT, () -> hearing.heard.size() == 1);
                long renewed = client.statistics().renewals();
                for (int i = 0; i < 20; i++) {
                    client.getLock(name + i).acquire().close();
                }
                Await.until("it is renewed", LIMIT, () -> client.statistics().renewals() > renewed);
                assertThat(lease.isHeld()).isTrue();
                assertThat(hearing.heard).hasSize(1);
            } finally {
                end.countDown();
            }
            Await.until("everything is heard afterwards", LIMIT, () -> hearing.heard.size() >= 42);
        });
    }

    static class Hearing {

        final List<LockEvent> heard = new CopyOnWriteArrayList<>();
        volatile boolean failing;
        volatile CountDownLatch end = new CountDownLatch(0);

        @EventListener
        void hear(LockEvent event) throws InterruptedException {
            heard.add(event);
            end.await();
            if (failing) {
                throw new IllegalStateException("a listener's own fault");
            }
        }
    }
}
