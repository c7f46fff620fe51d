package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.VirtualClock;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTimeoutsTest {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration PRECISION = Duration.ofMillis(10);

    private final VirtualClock clock = new VirtualClock();
    private final VirtualClock.Scheduler scheduler = clock.scheduler();

    private CommandTimeouts timeouts(Duration limit) {
        return new CommandTimeouts(limit, Timer.on(scheduler, clock), clock);
    }

    /** Nothing of it is sent. */
    private static PendingCommand<Object> begun(CommandTimeouts timeouts) {
        PendingCommand<Object> call =
                new PendingCommand<>(null, CommandType.PING, null, List.of(), List.of(), result -> result, null);
        timeouts.limit(call);
        return call;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20, 130, 249, 999, 1_700})
    void callEndsAtItsLimitWhenAnotherBeganBefore(int millisBefore) {
        CommandTimeouts timeouts = timeouts(LIMIT);
        begun(timeouts);
        clock.advance(Duration.ofMillis(millisBefore));
        PendingCommand<Object> call = begun(timeouts);

        clock.advance(LIMIT.minusMillis(1));
        assertThat(call).isNotDone();
        clock.advance(PRECISION);

        assertThat(call).isCompletedExceptionally();
    }

    @Test
    void answeredCallsAreForgottenWithinASecondBehindOneWithoutAnAnswer() {
        CommandTimeouts timeouts = timeouts(Duration.ofMinutes(10));
        begun(timeouts);
        IntStream.range(0, 1_000).forEach(i -> begun(timeouts).complete("answer"));
        assertThat(timeouts.pending()).isEqualTo(1_001);

        clock.advance(Duration.ofSeconds(1));

        assertThat(timeouts.pending()).isOne();
    }

    /** The timer runs before the event loop has read what arrived meanwhile. */
    @Test
    void answerThatArrivedWhileTheProcessStoodStillCounts() {
        CommandTimeouts timeouts = timeouts(LIMIT);
        PendingCommand<Object> call = begun(timeouts);

        clock.stall(LIMIT.plusSeconds(1));
        call.complete("answer");
        clock.advance(LIMIT);

        assertThat(call).isCompletedWithValue("answer");
        assertThat(scheduler.pending()).isZero();
    }

    /** Such a pause is too short to be noticed. */
    @Test
    void answerThatArrivedInAShortPauseCounts() {
        CommandTimeouts timeouts = timeouts(LIMIT);
        PendingCommand<Object> call = begun(timeouts);

        clock.advance(LIMIT.minusMillis(1));
        clock.stall(Duration.ofMillis(30));
        call.complete("answer");
        clock.advance(LIMIT);

        assertThat(call).isCompletedWithValue("answer");
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void callWithoutAnAnswerSaysThatTheProcessStoodStill() {
        CommandTimeouts timeouts = timeouts(LIMIT);
        PendingCommand<Object> call = begun(timeouts);

        clock.stall(LIMIT.plusSeconds(1));
        clock.advance(Duration.ofMillis(100));

        assertThat(call)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("within 2 s; this process stood still, or had no processor, for 2 s");
    }

    @Test
    void callEndsAlthoughEveryCheckComesLate() {
        CommandTimeouts timeouts = timeouts(LIMIT);
        PendingCommand<Object> call = begun(timeouts);

        clock.stall(LIMIT.plusMillis(1));
        for (int i = 0; i < 10; i++) {
            clock.stall(Duration.ofMillis(160));
        }

        assertThat(call).isCompletedExceptionally();
    }

    @Test
    void callsOfAnOutageShareChecks() {
        CommandTimeouts timeouts = timeouts(LIMIT);
        List<PendingCommand<Object>> calls = IntStream.range(0, 1_000)
                .mapToObj(i -> {
                    clock.advance(Duration.ofNanos(10_000));
                    return begun(timeouts);
                })
                .toList();
        assertThat(scheduler.pending()).isOne();

        clock.advance(LIMIT.plus(PRECISION));

        assertThat(calls).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(timeouts.pending()).isZero();
        assertThat(scheduler.pending()).isZero();
    }
}
