package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.leader.LeaderListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Elections among instances on a virtual clock. */
class LeaderElectionTest {

    private static final int SEEDS = 50;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(20);

    /** The election of a fleet. After each step of the clock, at most one instance may believe that it leads. */
    private static final class Candidates {
        private final SimulatedFleet fleet;
        private final List<LeaderElection> elections;
        private final List<String> events = new ArrayList<>();
        private final List<Long> tokens = new ArrayList<>();

        Candidates(long seed) {
            this(seed, locks -> locks.getLock("reports"));
        }

        Candidates(long seed, Function<LockClient, LeaseLock> lock) {
            fleet = SimulatedFleet.create(seed);
            elections = IntStream.range(0, fleet.size())
                    .mapToObj(instance -> election(instance, lock.apply(fleet.client(instance))))
                    .toList();
            elections.forEach(LeaderElection::start);
        }

        private LeaderElection election(int instance, LeaseLock lock) {
            LeaderElection election = LeaderElection.of(lock, LEASE);
            election.addListener(new LeaderListener() {
                @Override
                public void onGranted(LeaderEvent.Granted event) {
                    tokens.add(event.fencingToken());
                    note(instance, "granted");
                }

                @Override
                public void onRevoked(LeaderEvent.Revoked event) {
                    note(instance, "revoked");
                }
            });
            return election;
        }

        private void note(int instance, String event) {
            fleet.note(instance, event);
            events.add(instance + " " + event);
        }

        void advance(Duration time) {
            for (Duration left = time; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
                fleet.advance(STEP);
                fleet.check(() -> assertThat(leaders()).hasSizeLessThan(2));
            }
        }

        List<Integer> leaders() {
            return IntStream.range(0, fleet.size())
                    .filter(each -> elections.get(each).isLeader())
                    .boxed()
                    .toList();
        }

        int leader() {
            assertThat(leaders()).hasSize(1);
            return leaders().get(0);
        }

        /** Waits until one leads, and stops the elections of all others. */
        int leaderWithoutRivals() {
            advance(LEASE);
            int leader = leader();
            IntStream.range(0, fleet.size())
                    .filter(each -> each != leader)
                    .forEach(each -> elections.get(each).stopAsync());
            advance(POLL);
            return leader;
        }
    }

    @Test
    void oneLeadsAfterEachTroubleAndNeverTwo() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Candidates candidates = new Candidates(seed);
            candidates.fleet.randomFaults(Duration.ofMinutes(2));
            candidates.advance(Duration.ofMinutes(2));
            candidates.advance(LEASE.plus(POLL));
            candidates.fleet.check(() -> {
                assertThat(candidates.leaders()).hasSize(1);
                assertThat(candidates.elections.get(candidates.leader()).fencingToken())
                        .hasValue(candidates.tokens.get(candidates.tokens.size() - 1));
                assertThat(candidates.tokens).isSorted().doesNotHaveDuplicates();
            });
        }
    }

    @Test
    void nextOneLeadsWithinALeaseAndAPollAfterACrash() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Candidates candidates = new Candidates(seed);
            candidates.advance(LEASE.plusMillis(10 * seed));
            int dead = candidates.leader();
            candidates.fleet.pause(dead);

            candidates.advance(LEASE.plus(POLL));
            candidates.fleet.check(() -> assertThat(candidates.leader()).isNotEqualTo(dead));
        }
    }

    @Test
    void leaderThatStoodStillIsToldOnceAndIsACandidateAgain() {
        Candidates candidates = new Candidates(1);
        candidates.advance(LEASE);
        int frozen = candidates.leader();
        candidates.fleet.pause(frozen);
        candidates.advance(LEASE.plus(POLL));
        int next = candidates.leader();

        candidates.fleet.resume(frozen);
        candidates.advance(POLL);
        assertThat(candidates.events).containsExactly(frozen + " granted", next + " granted", frozen + " revoked");

        IntStream.range(0, candidates.fleet.size())
                .filter(each -> each != frozen)
                .forEach(candidates.fleet::pause);
        candidates.advance(LEASE.plus(POLL));
        assertThat(candidates.leader()).isEqualTo(frozen);
    }

    @Test
    void noOneLeadsWhileRedisIsAwayAndOneLeadsAgainAfterwards() {
        Candidates candidates = new Candidates(2);
        candidates.advance(LEASE);
        int leader = candidates.leader();
        IntStream.range(0, candidates.fleet.size()).forEach(candidates.fleet::disconnect);

        candidates.advance(LEASE);
        assertThat(candidates.leaders()).isEmpty();
        assertThat(candidates.events).containsExactly(leader + " granted", leader + " revoked");

        candidates.advance(Duration.ofMinutes(10));
        IntStream.range(0, candidates.fleet.size()).forEach(candidates.fleet::reconnect);
        candidates.advance(POLL);
        assertThat(candidates.leaders()).hasSize(1);
    }

    @Test
    void leaderThatStepsDownMakesRoomForOneThatWaits() {
        Candidates candidates = new Candidates(3);
        candidates.advance(LEASE);
        int first = candidates.leader();

        candidates.elections.get(first).stepDown();
        assertThat(candidates.leaders()).isEmpty();
        candidates.advance(POLL);

        int second = candidates.leader();
        assertThat(second).isNotEqualTo(first);
        assertThat(candidates.events).containsExactly(first + " granted", first + " revoked", second + " granted");
        candidates.elections.get(first).stepDown();
        assertThat(candidates.leader()).isEqualTo(second);
    }

    static Stream<Function<LockClient, LeaseLock>> locks() {
        return Stream.of(
                locks -> locks.getLock("reports"),
                locks -> MultiLock.of(List.of(locks.getLock("reports"), locks.getLock("books"))));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void stoppedElectionLeadsNoMoreUntilItIsStartedAgain(Function<LockClient, LeaseLock> lock) {
        Candidates candidates = new Candidates(4, lock);
        candidates.advance(LEASE);
        for (LeaderElection each : candidates.elections) {
            var stopped = each.stopAsync().toCompletableFuture();
            candidates.advance(POLL);
            assertThat(stopped).isCompleted();
        }
        assertThat(candidates.leaders()).isEmpty();
        assertThat(candidates.fleet.client(0).inspect("reports")).isEmpty();

        candidates.elections.get(1).start();
        candidates.elections.get(1).start();
        candidates.advance(POLL);
        assertThat(candidates.leader()).isEqualTo(1);
    }

    @Test
    void electionThatIsStoppedAndStartedAtOnceTellsItsListenersAtOnce() {
        Candidates candidates = new Candidates(6);
        int leader = candidates.leaderWithoutRivals();
        candidates.events.clear();
        for (int pair = 1; pair <= 4; pair++) {
            var stopped = candidates.elections.get(leader).stopAsync().toCompletableFuture();
            candidates.elections.get(leader).start();
            candidates.advance(POLL);
            assertThat(stopped).isCompleted();
            assertThat(candidates.leader()).isEqualTo(leader);
            assertThat(candidates.events).hasSize(2 * pair).endsWith(leader + " revoked", leader + " granted");
        }
    }

    @Test
    void stopWaitsForTenSecondsAtMostWhileOtherCodeOfTheInstanceHasTheLock() {
        Candidates candidates = new Candidates(7);
        int leader = candidates.leaderWithoutRivals();
        CompletableFuture<Lease> other = candidates
                .fleet
                .client(leader)
                .getLock("reports")
                .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .toCompletableFuture();

        var stopped = candidates.elections.get(leader).stopAsync().toCompletableFuture();
        candidates.advance(Duration.ofSeconds(9));

        assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(stopped).isNotDone();
        candidates.advance(Duration.ofSeconds(2));
        assertThat(stopped).isCompleted();
    }

    @Test
    void clientThatIsClosedFirstEndsTheLeadership() {
        Candidates candidates = new Candidates(5);
        candidates.advance(LEASE);
        int first = candidates.leader();

        candidates.fleet.client(first).close();
        assertThat(candidates.elections.get(first).isLeader()).isFalse();
        candidates.advance(POLL);
        assertThat(candidates.leader()).isNotEqualTo(first);
        assertThat(candidates.events).contains(first + " revoked");
    }
}
