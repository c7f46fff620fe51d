package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls that block, such as {@code close()}. Each call has a thread, but only one thread in the whole simulation runs at a time. A call that
 * waits passes control to the world, and an event of the world passes it back.
 */
final class Fibers {

    /** Ends a call whose process is dead or whose world is over. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final class Fiber {
        private final Actor actor;
        private final Semaphore turn = new Semaphore(0);
        private final Thread thread;
        private boolean killed;
        private boolean ended;
        private @Nullable Throwable failure;

        Fiber(Actor actor, Runnable body) {
            this.actor = actor;
            this.thread = new Thread(
                    () -> {
                        turn.acquireUninterruptibly();
                        try {
                            if (!killed) {
                                body.run();
                            }
                        } catch (Killed over) {
                            // No caller waits for the result of a killed call.
                        } catch (RuntimeException | Error thrown) {
                            failure = thrown;
                        } finally {
                            ended = true;
                            worldsTurn.release();
                        }
                    },
                    "fiber");
            thread.setDaemon(true);
            thread.start();
        }

        void run() {
            Fiber before = current;
            current = this;
            turn.release();
            worldsTurn.acquireUninterruptibly();
            current = before;
            if (failure != null && !killed) {
                throw new IllegalStateException("A call ends with what it does not expect", failure);
            }
        }

        void await(CompletableFuture<?> future, long longestNanos) {
            boolean[] waits = {true};
            Runnable goOn = () -> {
                if (waits[0]) {
                    waits[0] = false;
                    run();
                }
            };
            World.Event overdue = longestNanos == Long.MAX_VALUE ? null : world.plan(actor, longestNanos, goOn);
            future.whenComplete((value, failure) -> world.plan(actor, 0, goOn));
            worldsTurn.release();
            turn.acquireUninterruptibly();
            if (killed) {
                throw new Killed();
            }
            if (overdue != null) {
                overdue.cancel();
            }
        }
    }

    private final World world;
    private final Semaphore worldsTurn = new Semaphore(0);
    private final List<Fiber> fibers = new ArrayList<>();
    private @Nullable Fiber current;

    Fibers(World world) {
        this.world = world;
    }

    /** Starts a call that may block, as an event of the actor. */
    void start(Actor actor, Runnable body) {
        Fiber fiber = new Fiber(actor, body);
        fibers.add(fiber);
        world.plan(actor, 0, fiber::run);
    }

    /** Blocks the current call until the future is done or the time is over. */
    void await(CompletableFuture<?> future, long longestNanos) {
        if (future.isDone() || longestNanos <= 0) {
            return;
        }
        Fiber fiber = current;
        if (fiber == null) {
            throw new IllegalStateException("Something blocks on the world's own thread");
        }
        fiber.await(future, longestNanos);
    }

    /** Ends all calls. */
    void end() {
        // A call that ends may begin another one, which then never runs.
        for (Fiber fiber : List.copyOf(fibers)) {
            if (!fiber.ended) {
                fiber.killed = true;
                fiber.run();
            }
        }
        fibers.clear();
    }
}
