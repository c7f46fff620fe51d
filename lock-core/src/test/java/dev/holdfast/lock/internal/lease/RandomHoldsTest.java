package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases in random orders of grants, renewals, extensions, releases, losses, outages and pauses, on a virtual clock. */
class RandomHoldsTest {

    private static final int STEPS = 400;
    private static final Duration LONGEST = Duration.ofSeconds(9);

    private final VirtualHolds holds = new VirtualHolds();
    private final Map<HeldLease, LossCause> lost = new IdentityHashMap<>();
    private final List<HeldLease> live = new ArrayList<>();
    private final List<HeldLease> released = new ArrayList<>();
    private final List<HeldLease> keyLost = new ArrayList<>();
    private boolean undisturbed = true;

    @AfterEach
    void close() {
        holds.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void leasesKeepTheirPromisesInEveryOrder(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            act(random);
            check();
        }
        holds.cut = false;
        List.copyOf(live).forEach(this::release);
        assertThat(holds.watchdog.held()).isEmpty();
        // A late answer that says the key is gone.
        assertThat(released).noneMatch(lease -> lease.lose(LossCause.GONE));
        holds.time.advance(LONGEST.plus(LONGEST));
        assertThat(holds.scheduler.pending())
                .as("timers left when nothing is held")
                .isZero();
    }

    private void act(Random random) {
        HeldLease any = live.isEmpty() ? null : live.get(random.nextInt(live.size()));
        switch (random.nextInt(12)) {
            case 0, 1 -> hold(random);
            case 2 -> {
                if (any != null) {
                    release(any);
                }
            }
            case 3 -> {
                if (any != null && any.isHeld()) {
                    extend(any, length(random));
                }
            }
            case 4 -> {
                if (any != null && random.nextInt(4) == 0) {
                    holds.loseKey(any);
                    keyLost.add(any);
                }
            }
            case 5 -> {
                holds.cut = random.nextInt(3) == 0;
                undisturbed &= !holds.cut;
            }
            case 6 -> {
                if (random.nextInt(10) == 0) {
                    holds.time.stall(length(random));
                    undisturbed = false;
                }
            }
            case 7 -> holds.latency = Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(60) : 0);
            default -> holds.time.advance(Duration.ofMillis(random.nextInt(700)));
        }
    }

    private static Duration length(Random random) {
        return Duration.ofMillis(500 + random.nextInt((int) LONGEST.toMillis() - 500));
    }

    private void hold(Random random) {
        Duration lease = length(random);
        HeldLease held = switch (random.nextInt(4)) {
            case 0 -> holds.hold(VirtualHolds.fixed(lease));
            case 1 -> holds.hold(VirtualHolds.atMost(length(random), lease));
            case 2 -> holds.hold(VirtualHolds.renewed(lease), lease.dividedBy(2).plusMillis(300));
            default -> holds.hold(VirtualHolds.renewed(lease));
        };
        live.add(held);
        held.loss().thenAccept(loss -> {
            assertThat(lost).as("reported once").doesNotContainKey(held);
            assertThat(released).as("no loss after a release").doesNotContain(held);
            lost.put(held, loss.cause());
            live.remove(held);
        });
    }

    private void release(HeldLease lease) {
        live.remove(lease);
        try {
            lease.close();
            released.add(lease);
        } catch (LeaseLostException reported) {
            assertThat(lost).containsKey(lease);
        }
    }

    private static void extend(HeldLease lease, Duration length) {
        try {
            lease.extend(length);
        } catch (LeaseLostException reported) {
            assertThat(lease.isHeld()).isFalse();
        }
    }

    private void check() {
        for (HeldLease lease : List.copyOf(live)) {
            if (lease.isHeld() && !keyLost.contains(lease)) {
                assertThat(holds.livesFor(lease))
                        .as("a holder never outlives its key")
                        .isPositive();
            }
        }
        if (undisturbed) {
            // Without an outage or a pause only a key that was taken away, and the holder's own limits, end a lease.
            lost.forEach((lease, cause) -> assertThat(
                            cause == LossCause.MAX_HOLD || cause == LossCause.EXPIRED || keyLost.contains(lease))
                    .as("%s ended by %s", lease.lockName(), cause)
                    .isTrue());
        }
        assertThat(holds.watchdog.held().toList()).allMatch(live::contains);
    }
}
