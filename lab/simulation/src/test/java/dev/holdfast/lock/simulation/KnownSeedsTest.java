package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seeds that failed once, for a fault of the product or of the simulation. */
class KnownSeedsTest {

    /** The latest, which the planner still makes the plans of that failed. */
    private static final long[] LATEST = {
        // The check expected a first lease to be prolonged while a former master might still serve.
        18633443603L,
        // The check took for the present connection one that had been replaced, and confirmed a channel late.
        1052,
        // A server stood still while a replica took over, and read the commands of a connection in another order.
        2158,
        // The check expected a turn of a deaf client whose place has the short lease of a caller that has left.
        8884,
        // The check compared the token of a lease that had ended on its way to its caller.
        14256,
        // A connection was opened to a server that had gone away after it stood still.
        17902,
        // The check expected a minimum hold of a release that came after the lease's end, over a slow network.
        19470,
        29425,
        // A part was released by force before its client had the others.
        26638,
        // Who waited for two names, and left the queue of one, served nobody in the queue of the other.
        703903
    };

    /** The planner has changed since. So these make plans like any others, but long ones. */
    private static final long[] OLD = {
        12,
        21,
        53,
        98,
        165,
        172,
        202,
        380,
        1338,
        101072,
        103096,
        105247,
        921978,
        932556,
        3001627,
        7000834,
        555001550,
        2355771314L,
        2693180705L,
        2872659283L,
        2872666649L,
        2314951888L,
        5075,
        5143,
        5234,
        7202,
        11224,
        11528,
        11776,
        11865,
        20147,
        20318,
        20414,
        10009100,
        20012421,
        20020990,
        20025678,
        20028344,
        20031080,
        20033432,
        20037352,
        20043983,
        21014202,
        6035209180L,
        3236055496L,
        3553913293L,
        3553917434L,
        3553918965L,
        3553923190L,
        6316153782L,
        87,
        36894118265L,
        41337503775L,
        22574517907L,
        55189028215L,
        5077499331L
    };

    /** All of them. Hunts for mutants begin with these. */
    static final long[] SEEDS =
            LongStream.concat(LongStream.of(LATEST), LongStream.of(OLD)).toArray();

    static Stream<Plan> plans() {
        return Stream.concat(
                LongStream.of(LATEST).mapToObj(Planner::of),
                Stream.of(
                        // A waiter found a grant of a release, and the minimum hold that it wanted was longer.
                        FocusedPlanner.of(5, Focus.MIN_HOLDS),
                        FocusedPlanner.of(14, Focus.MIN_HOLDS),
                        FocusedPlanner.of(25, Focus.MIN_HOLDS),
                        // A fault of the product that only faults of the wire showed.
                        WirePlanner.over(Planner.withoutScenes(583))));
    }

    static LongStream old() {
        return LongStream.of(OLD);
    }

    @ParameterizedTest(name = "plan {index}")
    @MethodSource("plans")
    void everyPromiseIsKept(Plan plan) {
        Simulation.Result result = Simulation.run(plan, false);

        assertThat(result.violation()).as(() -> Report.of(result)).isNull();
    }

    @Nightly(inEachBuild = "NewSeedsTest runs plans of the same planner")
    @ParameterizedTest
    @MethodSource("old")
    void everyPromiseIsKeptByOldSeeds(long seed) {
        everyPromiseIsKept(Planner.of(seed));
    }
}
