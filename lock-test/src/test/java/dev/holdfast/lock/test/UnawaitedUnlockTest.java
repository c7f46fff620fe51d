package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread unlocks and does not wait for Redis. Time passes only where a test lets it, or where a call blocks. */
class UnawaitedUnlockTest {

    private static final Duration MOMENT = Duration.ofSeconds(1);

    /** The kinds of locks that end in different ways. */
    private enum Form {
        PLAIN(client -> client.getLock("stock")),
        SEVERAL_NAMES(client -> client.getMultiLock(List.of("stock", "shelf"))),
        SEVERAL_LOCKS(client -> MultiLock.of(List.of(client.getLock("stock"), client.getFairLock("shelf"))));

        private final Function<LockClient, LeaseLock> lock;

        Form(Function<LockClient, LeaseLock> lock) {
            this.lock = lock;
        }

        LeaseLock of(LockClient client) {
            return lock.apply(client);
        }
    }

    private final SimulatedFleet fleet = SimulatedFleet.create(11, 2);
    private final LockClient client = fleet.client(0);

    private LeaseLock locked(Form form) {
        LeaseLock lock = form.of(client);
        lock.lock();
        return lock;
    }

    private void assertFree(Form form) {
        assertThat(fleet.server.keys()).noneMatch(key -> key.equals("stock") || key.equals("shelf"));
        assertThat(form.of(fleet.client(1)).tryAcquire()).hasValueSatisfying(Lease::close);
        assertThat(client.heldLocks()).isEmpty();
        assertThat(client.statistics().lost()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void takesNoTimeAndFreesTheLock(Form form) {
        LeaseLock lock = locked(form);
        Duration before = fleet.time();

        CompletableFuture<Void> released = lock.unlockAsync().toCompletableFuture();

        assertThat(fleet.time()).isEqualTo(before);
        assertThat(released).isNotDone();
        assertThat(lock.holdCount()).isZero();
        fleet.advance(MOMENT);
        assertThat(released).isCompleted();
        assertFree(form);
    }

    @ParameterizedTest
    @EnumSource
    void nextAcquisitionOfTheClientIsBehindTheRelease(Form form) {
        LeaseLock lock = locked(form);
        for (int i = 0; i < 100; i++) {
            long before = lock.fencingToken();
            lock.unlockAsync();

            assertThat(lock.tryLock()).isTrue();

            assertThat(lock.fencingToken()).isGreaterThan(before);
        }
        lock.unlock();
        assertFree(form);
    }

    @ParameterizedTest
    @EnumSource
    void releaseIsRepeatedUntilRedisAnswers(Form form) {
        for (boolean sent : new boolean[] {false, true}) {
            LeaseLock lock = locked(form);
            CompletableFuture<Void> released;
            if (sent) {
                released = lock.unlockAsync().toCompletableFuture();
                fleet.disconnect(0);
            } else {
                fleet.disconnect(0);
                released = lock.unlockAsync().toCompletableFuture();
            }
            fleet.advance(MOMENT);
            assertThat(released).isNotDone();

            fleet.reconnect(0);
            fleet.advance(MOMENT);

            assertThat(released).isCompleted();
            assertFree(form);
        }
    }

    @ParameterizedTest
    @EnumSource
    void lossThatOnlyTheAnswerShowsIsToldOnce(Form form) {
        LeaseLock lock = locked(form);
        Stream.of("stock", "shelf").forEach(fleet.client(1)::forceRelease);

        CompletableFuture<Void> released = lock.unlockAsync().toCompletableFuture();
        fleet.advance(MOMENT);

        assertThat(released)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseLostException.class);
        assertThat(fleet.history().lines().filter(line -> line.contains("lock '" + lock.name() + "' lost")))
                .as(fleet.history())
                .hasSize(1);
        assertThatThrownBy(lock::unlock).isNotInstanceOf(LeaseLostException.class);
    }

    /** The process was stopped for longer than the lease, and no timer has noticed it yet. */
    @ParameterizedTest
    @EnumSource
    void lossThatTheClockShowsIsThrown(Form form) {
        LeaseLock lock = locked(form);
        fleet.pause(0);
        fleet.advance(Duration.ofMinutes(1));

        assertThatThrownBy(lock::unlockAsync).isInstanceOf(LeaseLostException.class);
    }

    @ParameterizedTest
    @EnumSource
    void waiterOfTheClientGetsTheLock(Form form) {
        LeaseLock lock = locked(form);
        CompletableFuture<Lease> waits = lock.acquireAsync(
                        AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .toCompletableFuture();
        fleet.advance(MOMENT);

        lock.unlockAsync();
        fleet.advance(MOMENT);

        assertThat(waits).isCompletedWithValueMatching(Lease::isHeld);
        waits.join().releaseAsync();
        fleet.advance(MOMENT);
        assertFree(form);
    }

    @ParameterizedTest
    @EnumSource
    void closingClientWaitsForTheRelease(Form form) {
        LeaseLock lock = locked(form);
        CompletableFuture<Void> released = lock.unlockAsync().toCompletableFuture();

        client.close();

        assertFree(form);
        fleet.advance(MOMENT);
        assertThat(released).isCompleted();
    }
}
