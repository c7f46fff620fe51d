package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A holder that another instance asks to stop, and the holders after it, in three instances and in virtual time. */
class StopRequestTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration RENEWAL = LEASE.dividedBy(3).plusMillis(500);
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(5));

    private final SimulatedFleet fleet = SimulatedFleet.create(1, 3, settings -> settings.watchdogTimeout(LEASE));
    private final LockClient here = fleet.client(0);
    private final LockClient operator = fleet.client(1);
    private final LockClient there = fleet.client(2);

    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR"})
    void holderIsAskedWithinOneRenewalAndKeepsItsLock(LockKind kind) {
        Lease held = here.getLock("job", kind).acquire();
        List<String> told = new ArrayList<>();
        held.onStopRequested(() -> told.add("once"));

        assertThat(operator.requestStop("job")).isTrue();
        assertThat(held.stopRequested()).isFalse();
        fleet.advance(RENEWAL);

        assertThat(held.stopRequested()).isTrue();
        assertThat(operator.inspect("job"))
                .hasValueSatisfying(state -> assertThat(state.stopRequested()).isTrue());
        fleet.advance(LEASE.multipliedBy(4));
        assertThat(held.isHeld()).isTrue();
        assertThat(told).containsExactly("once");
        held.onStopRequested(() -> told.add("late"));
        fleet.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly("once", "late");
        held.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 60})
    void holderWithAGraceIsAskedToo(long graceSeconds) {
        SimulatedFleet graced = SimulatedFleet.create(
                1, 2, settings -> settings.watchdogTimeout(LEASE).failoverGrace(Duration.ofSeconds(graceSeconds)));
        Lease held = graced.client(0).getLock("job").acquire(PATIENT);

        assertThat(graced.client(1).requestStop("job")).isTrue();
        graced.advance(RENEWAL);

        assertThat(held.stopRequested()).isTrue();
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void holderOfAClientInMemoryIsAskedAfterAThirdOfItsLease() {
        try (InMemoryLockClient locks = InMemoryLockClient.create(settings -> settings.watchdogTimeout(LEASE))) {
            Lease held = locks.getLock("job").acquire();
            assertThat(locks.requestStop("job")).isTrue();

            locks.advance(LEASE.dividedBy(3));

            assertThat(held.stopRequested()).isTrue();
            held.close();
        }
    }

    @Test
    void holderOfSeveralNamesIsAskedByOneOfThem() {
        Lease held = here.getMultiLock(List.of("a", "b")).acquire();

        assertThat(operator.requestStop("b")).isTrue();
        fleet.advance(RENEWAL);

        assertThat(held.stopRequested()).isTrue();
        held.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR"})
    void nextHolderInAnotherClientIsNotAsked(LockKind kind) {
        Lease held = here.getLock("job", kind).acquire();
        CompletableFuture<Lease> next =
                there.getLock("job", kind).acquireAsync(PATIENT).toCompletableFuture();
        fleet.advance(Duration.ofSeconds(1));

        assertThat(operator.requestStop("job")).isTrue();
        held.releaseAsync();
        fleet.advance(LEASE);

        assertThat(next.join().isHeld()).isTrue();
        assertThat(next.join().stopRequested()).isFalse();
        assertThat(operator.inspect("job"))
                .hasValueSatisfying(state -> assertThat(state.stopRequested()).isFalse());
        next.join().close();
    }

    @Test
    void nextHolderThatIsHandedTheLockInMemoryIsNotAskedUntilItIs() {
        Lease held = here.getLock("job").acquire();
        CompletableFuture<Lease> next =
                here.getLock("job").acquireAsync(PATIENT).toCompletableFuture();
        assertThat(operator.requestStop("job")).isTrue();
        held.releaseAsync();
        fleet.advance(RENEWAL);
        Lease second = next.join();
        assertThat(second.fencingToken() - held.fencingToken())
                .as("handed over, so still the same grant in Redis")
                .isEqualTo(1);

        fleet.advance(LEASE);
        assertThat(second.stopRequested()).isFalse();

        assertThat(operator.requestStop("job")).isTrue();
        fleet.advance(RENEWAL);
        assertThat(second.stopRequested()).isTrue();
        second.close();
    }

    /** The client knows of such a grant only that it is later than its last refused request. */
    @Test
    void holderThatIsHandedAGrantByAReleaseIsAskedAtOnce() {
        Lease theirs = there.getLock("job").acquire();
        CompletableFuture<Lease> first =
                here.getLock("job").acquireAsync(PATIENT).toCompletableFuture();
        CompletableFuture<Lease> second =
                here.getLock("job").acquireAsync(PATIENT).toCompletableFuture();
        fleet.advance(Duration.ofSeconds(2));
        theirs.releaseAsync();
        fleet.advance(Duration.ofMillis(10));
        first.join().releaseAsync();
        fleet.advance(Duration.ofMillis(10));
        assertThat(second.join().fencingToken() - first.join().fencingToken()).isEqualTo(1);

        assertThat(operator.requestStop("job")).isTrue();
        fleet.advance(RENEWAL);

        assertThat(second.join().stopRequested()).isTrue();
        second.join().close();
    }

    @Test
    void leaseOfFixedLengthFindsOutOnlyIfItAsks() {
        Lease held = here.getLock("job").acquire(PATIENT.lease(Duration.ofMinutes(5)));
        Lease extended = here.getLock("other").acquire(PATIENT.lease(Duration.ofMinutes(5)));
        assertThat(operator.requestStop("job")).isTrue();
        assertThat(operator.requestStop("other")).isTrue();
        fleet.advance(LEASE);
        assertThat(held.stopRequested()).isFalse();

        assertThat(held.verify()).isTrue();
        extended.extend(Duration.ofMinutes(6));

        assertThat(held.stopRequested()).isTrue();
        assertThat(extended.stopRequested()).isTrue();
        held.close();
        extended.close();
    }

    @Test
    void holderThatStoodStillIsAskedWhenItContinues() {
        Lease held = here.getLock("job").acquire();
        fleet.pause(0);
        assertThat(operator.requestStop("job")).isTrue();
        fleet.advance(LEASE.dividedBy(2));
        assertThat(held.stopRequested()).isFalse();

        fleet.resume(0);
        fleet.advance(Duration.ofSeconds(1));

        assertThat(held.stopRequested()).isTrue();
        held.close();
    }

    @Test
    void lostLeaseIsNotAsked() {
        Lease held = here.getLock("job").acquire();
        List<String> told = new ArrayList<>();
        held.onStopRequested(() -> told.add("told"));
        assertThat(operator.requestStop("job")).isTrue();
        assertThat(operator.forceRelease("job")).isTrue();
        fleet.advance(LEASE);

        assertThat(held.stopRequested()).isFalse();
        assertThat(told).isEmpty();
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }
}
