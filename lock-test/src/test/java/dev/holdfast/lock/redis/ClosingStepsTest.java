package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.EventPublisher;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
@Timeout(120)
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
            run.holdsAnswers = true;
            run.wanted(WAITING);
            run.holdsAnswers = false;
            return () -> run.deliver(run.answers);
        }),
        GIVES_UP_BEFORE_ITS_ANSWER(run -> {
            run.holdsAnswers = true;
            CompletableFuture<Lease> wanted = run.wanted(WAITING);
            run.holdsAnswers = false;
            return () -> {
                wanted.cancel(false);
                run.deliver(run.answers);
            };
        }),
        HEARS_A_RELEASE(run -> run.granted(WAITING, wanted -> run.deliver(run.messages))),
        HEARS_A_RELEASE_AND_EXTENDS_ITS_LEASE(
                run -> run.granted(LONGER_THAN_A_RELEASE_GRANTS, wanted -> run.deliver(run.messages))),
        GIVES_UP_WHAT_A_RELEASE_GRANTED(run -> run.granted(WAITING, wanted -> wanted.cancel(false))),
        ASKS_AGAIN(run -> run.granted(WAITING, wanted -> run.clock.advance(Duration.ofSeconds(2)))),
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

    /** Two clients of a Redis in memory, one of which closes. */
    private static final class Run implements Traffic, RedisGateway.Opener {

        private final VirtualClock clock = new VirtualClock();
        private final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
        private final List<CompletableFuture<Lease>> wanted = new ArrayList<>();
        private final MemoryRedis server = new MemoryRedis(clock, Instant.EPOCH, messages::add);
        private final ContractKind kind;
        private final LockClient client;
        private final LockClient other;
        private Lease elsewhere;
        private volatile boolean holdsAnswers;

        private volatile Thread stepping;
        private int stepsLeft;
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        Run(ContractKind kind) {
            this.kind = kind;
            this.client = client(this);
            this.other = client(new RedisGateway.Opener() {
                @Override
                public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
                    return new MemoryGateway(server, Traffic.DIRECT);
                }

                @Override
                public void started(Watchdog watchdog, EventPublisher events) {}
            });
        }

        private LockClient client(RedisGateway.Opener opener) {
            return RedisLockClient.builder(RedisSource.simulated(opener))
                    .checkAtStart(false)
                    .clock(() -> {
                        step();
                        return clock.now();
                    })
                    .scheduler(clock.scheduler())
                    .callbackExecutor(Runnable::run)
                    .build();
        }

        @Override
        public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
            return new MemoryGateway(server, this);
        }

        @Override
        public void started(Watchdog watchdog, EventPublisher events) {}

        @Override
        public <T> CompletableFuture<T> send(
                String command, List<String> keys, List<String> args, Command<T> execution) {
            step();
            CompletableFuture<T> executed = Traffic.executed(execution);
            if (!holdsAnswers) {
                step();
                return executed;
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            answers.add(() -> executed.thenAccept(answer::complete));
            return answer;
        }

        private void step() {
            if (Thread.currentThread() == stepping && stepsLeft-- == 0) {
                stopped.countDown();
                await(goesOn);
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        Lease held() {
            return kind.lock(client, NAME).acquire();
        }

        Lease heldElsewhere() {
            elsewhere = kind.rival(other, NAME).acquire();
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

        void deliver(Queue<Runnable> underWay) {
            for (Runnable next = underWay.poll(); next != null; next = underWay.poll()) {
                next.run();
            }
        }

        /** Answers whether the action has that many steps. */
        boolean closesAt(int step, Action action) throws InterruptedException {
            Runnable act = action.prepare.apply(this);
            stepsLeft = step;
            Thread actor = new Thread(
                    () -> {
                        act.run();
                        stopped.countDown();
                    },
                    "actor");
            stepping = actor;
            actor.start();
            await(stopped);
            boolean stops = stepsLeft < 0;
            Thread closer = new Thread(client::close, "closer");
            closer.start();
            awaitWaiting(closer);
            goesOn.countDown();
            actor.join();
            closer.join();
            deliver(messages);
            deliver(answers);
            assertNothingStays(step);
            other.close();
            return stops;
        }

        private static void awaitWaiting(Thread thread) {
            Set<Thread.State> moves = Set.of(Thread.State.NEW, Thread.State.RUNNABLE);
            while (moves.contains(thread.getState())) {
                Thread.onSpinWait();
            }
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
            assertThat(server.keys()).as("keys, closed at step %s", step).noneMatch(key -> key.contains("closing"));
        }
    }
}
