package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.check.WorkerLocks.Acquired;
import dev.holdfast.check.WorkerLocks.NotAcquired;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Other libraries, from their public jars, say to the check what they say to an application. */
@Timeout(Await.TEST_SECONDS)
class ReaderLibraryTest {

    private static final Request PATIENT =
            new Request(1, Use.PLAIN, List.of("job"), Duration.ofMillis(20), Request.Way.LEASE, 0, at -> {});

    /** What a holder is told whose lock has gone: before the release, and by it. */
    static Stream<Arguments> libraries() {
        return Stream.of(
                Arguments.of(CheckedLibrary.REDISSON, false, Ending.LOST),
                Arguments.of(CheckedLibrary.SHEDLOCK, true, Ending.RELEASED),
                Arguments.of(CheckedLibrary.SHEDLOCK_WITH_SAFE_UPDATE, true, Ending.RELEASED),
                Arguments.of(CheckedLibrary.SPRING_INTEGRATION, true, Ending.LOST),
                Arguments.of(CheckedLibrary.SPRING_INTEGRATION_WITH_RENEWAL, true, Ending.LOST));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void holderKeepsOthersOutAndLearnsOfALossAsTheLibraryTells(
            CheckedLibrary library, boolean believesToHold, Ending ending) throws Exception {
        try (RedisServer server = RedisServer.start();
                WorkerLocks one = open(library, server);
                WorkerLocks other = open(library, server)) {
            Hold first = hold(one);
            assertThat(first.isHeld()).isTrue();
            assertThat(other.acquire(PATIENT)).isInstanceOf(NotAcquired.class);
            assertThat(first.release()).isEqualTo(Ending.RELEASED);
            Hold second = hold(other);
            assertThat(second.token()).isGreaterThan(first.token());
            server.cli().flushall();
            assertThat(second.isHeld()).isEqualTo(believesToHold);
            assertThat(second.release()).isEqualTo(ending);
        }
    }

    /** Without the setting, the late release of a holder that Redis has forgotten frees the lock of the next one. */
    @Test
    void shedLockWithSafeUpdateFreesNoOtherHoldersLock() throws Exception {
        for (CheckedLibrary library : List.of(CheckedLibrary.SHEDLOCK, CheckedLibrary.SHEDLOCK_WITH_SAFE_UPDATE)) {
            try (RedisServer server = RedisServer.start();
                    WorkerLocks one = open(library, server);
                    WorkerLocks other = open(library, server)) {
                Hold late = hold(one);
                server.cli().flushall();
                hold(other);
                late.release();
                assertThat(server.cli().dbsize())
                        .as(library.title())
                        .isEqualTo(library == CheckedLibrary.SHEDLOCK ? 0 : 1);
            }
        }
    }

    @Test
    void springIntegrationWithRenewalKeepsALockThatIsHeld() throws Exception {
        try (RedisServer server = RedisServer.start();
                WorkerLocks locks = open(CheckedLibrary.SPRING_INTEGRATION_WITH_RENEWAL, server)) {
            Hold hold = hold(locks);
            server.resetStats();
            Await.until("a renewal", Await.PATIENCE, () -> server.commandStats().getOrDefault("pexpire", 0L) > 0);
            assertThat(hold.release()).isEqualTo(Ending.RELEASED);
        }
    }

    private static WorkerLocks open(CheckedLibrary library, RedisServer server) throws ReflectiveOperationException {
        return WorkerLocks.open(library.locks().getName(), new Address(Address.Shape.SERVER, List.of(server.port())));
    }

    private static Hold hold(WorkerLocks locks) {
        return ((Acquired) locks.acquire(PATIENT)).hold();
    }
}
