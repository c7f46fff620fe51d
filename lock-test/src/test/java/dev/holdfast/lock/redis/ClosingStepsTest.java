package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client closes while one of its threads is at any step of an acquisition, a release or a message: nothing of the client stays in Redis, and
 * nobody has a lease of it. The thread stops each time that it reads the clock or sends a command, once in every run, until the client has
 * closed or waits for it.
 */
@Timeout(Await.TEST_SECONDS)
class ClosingStepsTest {

    private static final String NAME = "{closing}";
    private static final AcquireOptions WAITING = AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1));
    private static final AcquireOptions LONGER_THAN_A_RELEASE_GRANTS = WAITING.lease(Duration.ofSeconds(10));

    /** What the thread does while its client closes, after what has to come before. */
    private enum Action {
        ACQUIRES(run -> () -> run.wanted(WAITING)),
        ASKS_FOR_A_BUSY_LOCK(run -> {
            run.heldElsewhere();
            return () -> run.wanted(WAITING);
        }),
        HEARS_AN_ANSWER(run -> {
            run.asked();
            return () -> SteppedClients.deliver(run.clients.answers);
        }),
        GIVES_UP_BEFORE_ITS_ANSWER(run -> {
            CompletableFuture<Lease> wanted = run.asked();
            return () -> {
                wanted.cancel(false);
                SteppedClients.deliver(run.clients.answers);
            };
        }),
        HEARS_A_RELEASE(run -> run.granted(WAITING, wanted -> SteppedClients.deliver(run.clients.messages))),
        HEARS_A_RELEASE_AND_EXTENDS_ITS_LEASE(run ->
                run.granted(LONGER_THAN_A_RELEASE_GRANTS, wanted -> SteppedClients.deliver(run.clients.messages))),
        GIVES_UP_WHAT_A_RELEASE_GRANTED(run -> run.granted(WAITING, wanted -> wanted.cancel(false))),
        ASKS_AGAIN(run -> run.granted(WAITING, wanted -> run.clients.clock.advance(Duration.ofSeconds(2)))),
        RELEASES(run -> run.held()::releaseAsync),
        HANDS_OVER(run -> {
            Lease held = run.held();
            run.wanted(WAITING);
            return held::releaseAsync;
        });

        private final Function<Run, Runnable> prepare;

        Action(Function<Run, Runnable> prepare) {
            this.prepare = prepare;
        }
    }

    static Stream<Arguments> actions() {
        // A lock made of locks waits for its members one after the other, each of them a lock of its own.
        Set<ContractKind> kinds = EnumSet.complementOf(EnumSet.of(ContractKind.COMPOSITE));
        return kinds.stream().flatMap(kind -> Stream.of(Action.values()).map(action -> Arguments.of(kind, action)));
    }

    @ParameterizedTest
    @MethodSource("actions")
    void nothingStaysWhicheverStepTheClientClosesAt(ContractKind kind, Action action) throws Exception {
        int step = 0;
        while (new Run(kind).closesAt(step, action)) {
            step++;
        }
        assertThat(step).as("steps").isPositive();
    }

    /** One story: what the client waits for, and how it closes. */
    private static final class Run {

        private final SteppedClients clients = new SteppedClients();
        private final LockClient client = clients.client;
        private final List<CompletableFuture<Lease>> wanted = new ArrayList<>();
        private final ContractKind kind;
        private Lease elsewhere;

        Run(ContractKind kind) {
            this.kind = kind;
        }

        Lease held() {
            return kind.lock(client, NAME).acquire();
        }

        Lease heldElsewhere() {
            elsewhere = kind.excluding(clients.other, NAME).acquire();
            return elsewhere;
        }

        /** The release elsewhere grants the lock to a waiter of the client, or tells it to ask, and the message is under way. */
        Runnable granted(AcquireOptions options, Consumer<CompletableFuture<Lease>> action) {
            Lease before = heldElsewhere();
            CompletableFuture<Lease> waits = wanted(options);
            before.close();
            elsewhere = null;
            return () -> action.accept(waits);
        }

        CompletableFuture<Lease> wanted(AcquireOptions options) {
            CompletableFuture<Lease> lease =
                    kind.lock(client, NAME).acquireAsync(options).toCompletableFuture();
            wanted.add(lease);
            return lease;
        }

        /** Asks, and the answer is under way. */
        CompletableFuture<Lease> asked() {
            clients.holdsAnswers = true;
            CompletableFuture<Lease> lease = wanted(WAITING);
            clients.holdsAnswers = false;
            return lease;
        }

        /** Answers whether the action has that many steps. */
        boolean closesAt(int step, Action action) throws InterruptedException {
            boolean stops = clients.actUntil(step, action.prepare.apply(this));
            clients.goOnBeside(client::close);
            SteppedClients.deliver(clients.messages);
            SteppedClients.deliver(clients.answers);
            assertNothingStays(step);
            clients.other.close();
            return stops;
        }

        private void assertNothingStays(int step) {
            assertThat(wanted).as("calls, closed at step %s", step).allMatch(CompletableFuture::isDone);
            assertThat(wanted)
                    .as("leases, closed at step %s", step)
                    .noneMatch(lease ->
                            !lease.isCompletedExceptionally() && lease.join().isHeld());
            if (elsewhere != null) {
                elsewhere.close();
            }
            assertThat(clients.server.keys())
                    .as("keys, closed at step %s", step)
                    .noneMatch(key -> key.contains("closing"));
        }
    }
}
