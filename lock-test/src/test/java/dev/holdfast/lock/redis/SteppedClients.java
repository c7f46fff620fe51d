package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two clients of a Redis in memory, and a thread that stops once at a given step: each reading of the clock and each command that it sends is one. A
 * test repeats its story for every step. Messages arrive, and time passes, when the test says so; so do the answers to {@link #client} if it wants
 * that.
 */
final class SteppedClients {

    private static final Set<Thread.State> MOVES = EnumSet.of(Thread.State.NEW, Thread.State.RUNNABLE);

    final VirtualClock clock = new VirtualClock();
    final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();
    final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    /** Whether answers to the client's commands wait in the queue. */
    volatile boolean holdsAnswers;

    private final AtomicLong paused = new AtomicLong();
    final MemoryRedis server = new MemoryRedis(this::now, Instant.EPOCH, messages::add);
    /** Its commands are steps. */
    final LockClient client = client(this::send);

    final LockClient other = client(Traffic.DIRECT);

    private volatile Thread actor;
    private int stepsLeft;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    private LockClient client(Traffic traffic) {
        return VirtualClients.builder(clock, (settings, timer, ticker) -> new MemoryGateway(server, traffic, ticker))
                .clock(() -> {
                    step();
                    return now();
                })
                .build();
    }

    private long now() {
        return clock.now() + paused.get();
    }

    /** Time passes for the server while no timer runs, as if both clients' processes stood still. */
    void pause(Duration time) {
        paused.addAndGet(time.toNanos());
    }

    private <T> CompletableFuture<T> send(String command, List<String> keys, List<String> args, Command<T> execution) {
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
        if (Thread.currentThread() == actor && stepsLeft-- == 0) {
            stopped.countDown();
            await(goesOn);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs the action in a thread until that step. Answers whether it has one. */
    boolean actUntil(int step, Runnable action) {
        stepsLeft = step;
        Thread thread = new Thread(
                () -> {
                    action.run();
                    stopped.countDown();
                },
                "actor");
        actor = thread;
        thread.start();
        await(stopped);
        return stepsLeft < 0;
    }

    /** Runs something else until its end or until it waits, perhaps for the action. Then lets the action come to its end. */
    void goOnBeside(Runnable other) throws InterruptedException {
        Thread beside = new Thread(other, "beside");
        beside.start();
        while (MOVES.contains(beside.getState())) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        actor.join();
        beside.join();
    }

    static void deliver(Queue<Runnable> underWay) {
        for (Runnable next = underWay.poll(); next != null; next = underWay.poll()) {
            next.run();
        }
    }
}
