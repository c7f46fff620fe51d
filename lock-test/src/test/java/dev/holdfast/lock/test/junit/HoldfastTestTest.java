package dev.holdfast.lock.test.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.LeftLocks;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The extension, seen on small test classes that it runs. */
class HoldfastTestTest {

    private static Events run(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("holdfast.example", "true")
                .selectors(selectClass(tests))
                .execute()
                .testEvents();
    }

    @HoldfastTest
    static class GivesAClient {

        private LockClient before;

        @BeforeEach
        void keep(LockClient locks) {
            before = locks;
        }

        @Test
        void sameForTheWholeTest(InMemoryLockClient locks) {
            assertThat(locks).isSameAs(before);
            locks.getLock("order:42").acquire().close();
        }
    }

    @Test
    void clientIsTheSameForTheWholeTest() {
        run(GivesAClient.class).assertStatistics(stats -> stats.succeeded(1).failed(0));
    }

    @HoldfastTest
    static class LeavesALock {

        @Test
        void held(InMemoryLockClient locks) {
            locks.getLock("order:42").lock();
        }
    }

    @Test
    void lockLeftHeldFailsTheTestWithTheStackTraceOfItsAcquisition() {
        run(LeavesALock.class)
                .assertThatEvents()
                .haveExactly(
                        1,
                        finishedWithFailure(
                                instanceOf(LeftLocks.class),
                                message(text -> text.contains("holds 'order:42'")
                                        && text.contains("LeavesALock.held")
                                        && text.contains("acquired, token"))));
    }

    @HoldfastTest
    static class WaitsForever {

        @Test
        void forAnotherInstance(InMemoryLockClient locks) {
            locks.holdElsewhere("order:42");
            try {
                locks.getLock("order:42").lock();
            } catch (LockUnavailableException caughtByTheCodeUnderTest) {
                // The test fails all the same.
            }
        }
    }

    @Test
    void waitThatWouldNeverEndFailsTheTestAndSaysWhoHoldsWhat() {
        run(WaitsForever.class)
                .assertThatEvents()
                .haveExactly(
                        1,
                        finishedWithFailure(
                                instanceOf(LeftLocks.class),
                                message(text -> text.contains("waits for 'order:42'")
                                        && text.contains("another instance holds 'order:42'"))));
    }

    @HoldfastTest
    static class AThousandTests {

        @RepeatedTest(1000)
        void acquireAndRelease(InMemoryLockClient locks) {
            locks.getLock("order:42").acquire().close();
            assertThat(locks.history().entries()).hasSize(2);
        }
    }

    /** They take 1 to 4 s, and 50 s beside eight busy processes. A third of a second of real time in each would take more. */
    @Test
    void thousandTestsTakeSeconds() {
        long start = System.nanoTime();

        run(AThousandTests.class).assertStatistics(stats -> stats.succeeded(1000));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(5));
    }
}
