package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SimulatedFleetTest {

    private static final int SEEDS = 200;
    private static final AcquireOptions TRY = AcquireOptions.defaults().waitAtMost(Duration.ZERO);

    /** What the instances share, as they share a database. */
    private static final class Stock {
        int articles;
        int sold;
    }

    /** Sells an article: reads the stock, and writes it two seconds later. */
    private static final class Shop {
        private static final AcquireOptions OPTIONS =
                AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20)).lease(Duration.ofSeconds(10));

        private final LockClient locks;
        private final ScheduledExecutorService scheduler;
        private final Stock stock;
        private final boolean careful;

        Shop(LockClient locks, ScheduledExecutorService scheduler, Stock stock, boolean careful) {
            this.locks = locks;
            this.scheduler = scheduler;
            this.stock = stock;
            this.careful = careful;
        }

        void sell() {
            locks.getLock("stock").acquireAsync(OPTIONS).thenAccept(lease -> {
                int before = stock.articles;
                scheduler.schedule(() -> write(lease, before - 1), 2, TimeUnit.SECONDS);
            });
        }

        private void write(Lease lease, int articles) {
            if (!careful || lease.isHeld()) {
                stock.articles = articles;
                stock.sold++;
            }
            lease.releaseAsync();
        }
    }

    /** Three instances sell, in trouble, until all is over. */
    private static SimulatedFleet sale(long seed, boolean careful) {
        SimulatedFleet fleet = SimulatedFleet.create(seed);
        Stock stock = new Stock();
        Random times = new Random(seed);
        for (int i = 0; i < fleet.size(); i++) {
            Shop shop = new Shop(fleet.client(i), fleet.scheduler(i), stock, careful);
            for (int sale = 0; sale < 5; sale++) {
                fleet.scheduler(i).schedule(shop::sell, times.nextInt(60_000), TimeUnit.MILLISECONDS);
            }
        }
        fleet.randomFaults(Duration.ofMinutes(1));
        fleet.advance(Duration.ofMinutes(3));
        fleet.check(() -> assertThat(stock.articles).isEqualTo(-stock.sold));
        return fleet;
    }

    @Test
    void sameSeedGivesTheSameHistory() {
        String history = sale(7, true).history();

        assertThat(history).contains("acquired", "released", "connection lost", "paused", "asks for lock 'stock'");
        assertThat(sale(7, true).history()).isEqualTo(history);
        assertThat(sale(8, true).history()).isNotEqualTo(history);
    }

    @Test
    void serviceThatChecksItsLeasePassesEachSeed() {
        for (long seed = 0; seed < SEEDS; seed++) {
            sale(seed, true);
        }
    }

    @Test
    void serviceThatWritesAfterALossIsFound() {
        AssertionError failure = firstFailure();

        assertThat(failure).hasMessageContaining("expected: -").hasMessageContaining("With seed ");
        assertThat(failure).hasMessageContaining("paused").hasMessageContaining("lock 'stock' lost, token ");
    }

    private static AssertionError firstFailure() {
        for (long seed = 0; seed < SEEDS; seed++) {
            long tried = seed;
            if (catchThrowable(() -> sale(tried, false)) instanceof AssertionError found) {
                return found;
            }
        }
        throw new IllegalStateException("no seed finds it");
    }

    @Test
    void pausedInstanceDoesNothingUntilItIsResumed() {
        SimulatedFleet fleet = SimulatedFleet.create(1);
        List<Integer> ran = new ArrayList<>();
        fleet.pause(0);
        fleet.scheduler(0).execute(() -> ran.add(1));
        var canceled = fleet.scheduler(0).schedule(() -> ran.add(2), 1, TimeUnit.SECONDS);
        fleet.scheduler(0).schedule(() -> ran.add(3), 2, TimeUnit.SECONDS);

        fleet.advance(Duration.ofMinutes(1));
        assertThat(ran).isEmpty();
        canceled.cancel(false);
        fleet.resume(0);
        fleet.advance(Duration.ofMillis(1));

        assertThat(ran).containsExactly(1, 3);
    }

    private static Lease acquired(SimulatedFleet fleet, int instance, AcquireOptions options) {
        CompletableFuture<Lease> lease =
                lock(fleet, instance).acquireAsync(options).toCompletableFuture();
        fleet.advance(Duration.ofMinutes(1));
        return lease.join();
    }

    private static LeaseLock lock(SimulatedFleet fleet, int instance) {
        return fleet.client(instance).getLock("stock");
    }

    @Test
    void instanceWithoutAConnectionIsUnavailableUntilItIsReconnected() {
        SimulatedFleet fleet = SimulatedFleet.create(3);
        fleet.disconnect(0);
        var refused = lock(fleet, 0).tryAcquireAsync(TRY).toCompletableFuture();
        fleet.advance(Duration.ofSeconds(10));
        assertThat(refused).isCompletedExceptionally();

        fleet.reconnect(0);
        var granted = lock(fleet, 0).tryAcquireAsync(TRY).toCompletableFuture();
        fleet.advance(Duration.ofSeconds(1));
        assertThat(granted.join()).isPresent();
        assertThat(fleet.history()).contains("connection lost", "unavailable", "connected again", "acquired");
    }

    @Test
    void waiterThatMissedTheReleaseAsksAgainWhenItIsConnected() {
        SimulatedFleet fleet = SimulatedFleet.create(4);
        Lease held = acquired(fleet, 0, AcquireOptions.defaults());
        var waiting = lock(fleet, 1)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .toCompletableFuture();
        fleet.advance(Duration.ofSeconds(1));
        fleet.disconnect(1);
        held.releaseAsync();
        fleet.advance(Duration.ofMillis(100));
        assertThat(waiting).isNotDone();

        fleet.reconnect(1);
        fleet.advance(Duration.ofMillis(100));
        assertThat(waiting).isCompleted();
    }

    @Test
    void callThatBlocksRunsTheFleetButFailsInsideOfIt() {
        SimulatedFleet fleet = SimulatedFleet.create(5);
        Lease lease = lock(fleet, 0).acquire();
        assertThat(lease.verify()).isTrue();
        lease.close();
        assertThat(lock(fleet, 1).tryAcquire(TRY)).isPresent();
        assertThat(fleet.time()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(1));
        fleet.client(1).close();

        @Nullable Lease[] never = new Lease[1];
        fleet.scheduler(0).execute(() -> never[0] = lock(fleet, 0).acquire());

        assertThatThrownBy(() -> fleet.advance(Duration.ofSeconds(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("acquireAsync")
                .hasMessageContaining("With seed 5");
    }

    @Test
    void failedTaskFailsTheTest() {
        SimulatedFleet fleet = SimulatedFleet.create(6);
        fleet.note(2, "before");
        fleet.scheduler(1).schedule(() -> assertThat(1).isEqualTo(2), 1, TimeUnit.SECONDS);

        assertThatThrownBy(() -> fleet.advance(Duration.ofSeconds(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("With seed 6 and 3 instances")
                .hasMessageContaining("instance-2  note 'before'");
        fleet.advance(Duration.ofSeconds(1));
    }
}
