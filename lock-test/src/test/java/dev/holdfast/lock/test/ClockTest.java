package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What other threads do is not guessed: the clock moves by itself only where nothing but time can end a wait. Each case runs many times at once, 1,000
 * times with {@code -Pnightly}.
 */
@Timeout(value = Await.TEST_SECONDS, unit = TimeUnit.MINUTES)
class ClockTest {

    private static final int TIMES = Nightly.Night.isOn() ? 1_000 : 8;
    private static final int AT_ONCE = Math.min(TIMES, 36);

    private static final String NAME = "order:42";
    private static final AcquireOptions A_SECOND = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(1));
    private static final Duration WORK = Duration.ofMillis(100);

    /** The common pool would have one thread for all repetitions. */
    private static final Executor A_THREAD_EACH = task -> start("worker", task);

    private interface Case {
        void run(InMemoryLockClient locks) throws Exception;
    }

    /** Each with a client of its own. Returns what the last of them left. */
    private static void repeat(Case test) throws Exception {
        repeat(test, left -> assertThat(left).isEmpty());
    }

    private static void repeat(Case test, java.util.function.Consumer<List<String>> left) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                runs.add(threads.submit(() -> {
                    try (InMemoryLockClient locks = InMemoryLockClient.create()) {
                        test.run(locks);
                        left.accept(locks.reset());
                    }
                    return null;
                }));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void work() {
        LockSupport.parkNanos(WORK.toNanos());
    }

    private static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitWaiter(InMemoryLockClient locks) {
        while (locks.waitingLocks().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void releaseOfAnotherThreadServesTheWaiter() throws Exception {
        repeat(locks -> {
            LeaseLock lock = locks.getLock(NAME);
            CountDownLatch held = new CountDownLatch(1);
            start("holder", () -> {
                lock.lock();
                held.countDown();
                awaitWaiter(locks);
                lock.unlock();
            });
            held.await();

            assertThat(lock.tryLock(Duration.ofSeconds(1))).isTrue();

            assertThat(locks.time()).isZero();
            lock.unlock();
        });
    }

    @Test
    void holderWorksForAsLongAsItLikesWhateverItsNameIs() throws Exception {
        repeat(locks -> {
            LeaseLock lock = locks.getLock(NAME);
            CountDownLatch held = new CountDownLatch(1);
            Thread holder = start("holdfast-worker", () -> {
                lock.lock();
                held.countDown();
                work();
                lock.unlock();
            });
            held.await();

            assertThat(lock.tryAcquire(A_SECOND)).hasValueSatisfying(Lease::close);
            holder.join();
        });
    }

    @Test
    void leaseThatAnotherThreadReleasesIsWaitedFor() throws Exception {
        repeat(locks -> {
            Lease lease = locks.getLock(NAME).acquire();
            Thread other = start("pool", () -> {
                work();
                lease.close();
            });

            assertThat(locks.getLock(NAME).tryAcquire(A_SECOND)).hasValueSatisfying(Lease::close);
            other.join();
        });
    }

    @Test
    void stageThatWorksElsewhereIsWaitedFor() throws Exception {
        repeat(locks -> {
            CompletableFuture<Void> work = locks.getLock(NAME)
                    .acquireAsync(AcquireOptions.defaults())
                    .thenAcceptAsync(
                            lease -> {
                                work();
                                lease.close();
                            },
                            A_THREAD_EACH)
                    .toCompletableFuture();
            while (locks.heldLocks().isEmpty() && !work.isDone()) {
                Thread.onSpinWait();
            }

            assertThat(locks.getLock(NAME).tryAcquire(A_SECOND)).hasValueSatisfying(Lease::close);
            work.join();
        });
    }

    @Test
    void threadThatAskedOnceAndSpinsIsNoParty() throws Exception {
        repeat(locks -> {
            CompletableFuture<Void> end = new CompletableFuture<>();
            CountDownLatch asked = new CountDownLatch(1);
            start("spinner", () -> {
                locks.getLock("another").acquire().close();
                asked.countDown();
                while (!end.isDone()) {
                    Thread.yield();
                }
            });
            asked.await();
            locks.holdElsewhere(NAME);

            assertThat(locks.getLock(NAME).tryAcquire(A_SECOND)).isEmpty();
            end.complete(null);
        });
    }

    @Test
    void waitEndsAtOnceWhereItsHolderWaitsItself() throws Exception {
        repeat(locks -> {
            locks.holdElsewhere("another");
            CountDownLatch held = new CountDownLatch(1);
            Thread holder = start("holder", () -> {
                locks.getLock(NAME).lock();
                held.countDown();
                assertThat(locks.getLock("another")
                                .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(3))))
                        .isEmpty();
                locks.getLock(NAME).unlock();
            });
            held.await();

            assertThat(locks.getLock(NAME).tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(10))))
                    .hasValueSatisfying(Lease::close);
            assertThat(locks.time()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
            holder.join();
        });
    }

    @Test
    void leaseThatTimeWouldEndKeepsTheClockStill() throws Exception {
        repeat(locks -> {
            locks.holdElsewhere("busy");
            AcquireOptions aSecondLong = AcquireOptions.defaults().lease(Duration.ofSeconds(1));
            CompletableFuture<Boolean> kept = CompletableFuture.supplyAsync(
                    () -> {
                        boolean all = true;
                        for (int i = 0; i < 20; i++) {
                            Lease lease = locks.getLock(NAME).acquire(aSecondLong);
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                            all &= lease.isHeld();
                            lease.close();
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                        }
                        return all;
                    },
                    A_THREAD_EACH);

            while (!kept.isDone()) {
                assertThat(locks.getLock("busy").tryAcquire(A_SECOND)).isEmpty();
            }

            assertThat(kept.get()).isTrue();
            LockAssertions.assertThat(locks).neverLost(NAME);
        });
    }

    /** The holder cannot go on before the wait has ended, which nobody outside can know. */
    private static void waitInsideAMonitor(ThreadFactory threads) throws Exception {
        repeat(
                locks -> {
                    Object monitor = new Object();
                    LeaseLock lock = locks.getLock(NAME);
                    CountDownLatch held = new CountDownLatch(1);
                    Thread holder = threads.newThread(() -> {
                        lock.lock();
                        held.countDown();
                        awaitWaiter(locks);
                        synchronized (monitor) {
                            lock.unlock();
                        }
                    });
                    holder.setName("holder");
                    synchronized (monitor) {
                        holder.start();
                        held.await();
                        assertThatThrownBy(() -> lock.acquire(A_SECOND))
                                .isInstanceOf(LockUnavailableException.class)
                                .hasMessageContaining("thread 'holder' has lock 'order:42'")
                                .hasMessageContaining("locks.advance(")
                                .hasMessageContaining("locks.autoAdvance()");
                    }
                    holder.join();
                },
                left -> assertThat(left).singleElement().asString().contains("locks.advance("));
    }

    @Test
    void holderThatIsBlockedAtAMonitorFailsTheWait() throws Exception {
        waitInsideAMonitor(Thread::new);
    }

    @Test
    void virtualThreadThatIsBlockedAtAMonitorFailsTheWait() throws Exception {
        ThreadFactory virtual;
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            virtual = (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (NoSuchMethodException before21) {
            Assumptions.abort("no virtual threads");
            return;
        }
        waitInsideAMonitor(task -> virtual.newThread(task));
    }

    private static CompletableFuture<Optional<Lease>> onEventLoop(EventLoop loop, InMemoryLockClient locks) {
        CompletableFuture<Optional<Lease>> answer = new CompletableFuture<>();
        loop.execute(() -> locks.getLock(NAME).tryAcquireAsync(A_SECOND).whenComplete((lease, failure) -> {
            if (failure == null) {
                answer.complete(lease);
            } else {
                answer.completeExceptionally(failure);
            }
        }));
        return answer;
    }

    @Test
    void waitBehindAnEventLoopFailsAndNamesTheLineToAdd() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            repeat(
                    locks -> {
                        locks.holdElsewhere(NAME);
                        assertThatThrownBy(
                                        () -> onEventLoop(loops.next(), locks).get())
                                .hasRootCauseInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("which controls this client")
                                .hasMessageContaining("locks.autoAdvance()");
                    },
                    left -> assertThat(left).singleElement().asString().contains("locks.autoAdvance()"));
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void waitBehindAnEventLoopEndsAtOnceWithAutoAdvance() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            repeat(locks -> {
                locks.autoAdvance();
                locks.holdElsewhere(NAME);
                assertThat(onEventLoop(loops.next(), locks).get()).isEmpty();
            });
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void workingHolderIsWaitedForWithAutoAdvanceToo() throws Exception {
        repeat(locks -> {
            locks.autoAdvance();
            CompletableFuture<Void> worker = CompletableFuture.runAsync(
                    () -> {
                        try (Lease lease = locks.getLock(NAME).acquire()) {
                            work();
                        }
                    },
                    A_THREAD_EACH);
            while (locks.heldLocks().isEmpty() && !worker.isDone()) {
                Thread.onSpinWait();
            }

            assertThat(locks.getLock(NAME)
                            .tryAcquireAsync(A_SECOND)
                            .toCompletableFuture()
                            .get())
                    .hasValueSatisfying(Lease::close);
            worker.join();
        });
    }

    @Test
    void leaseThatItsOwnThreadWaitsForIsBusyWithAutoAdvance() throws Exception {
        repeat(locks -> {
            locks.autoAdvance();
            Lease lease = locks.getLock(NAME).acquire();

            assertThatThrownBy(() -> locks.getLock(NAME).acquire(A_SECOND))
                    .isInstanceOf(LockNotAcquiredException.class);
            lease.close();
        });
    }

    @Test
    void releaseDuringAnOutageWaitsOnTheVirtualClock() throws Exception {
        repeat(locks -> {
            Lease lease = locks.getLock(NAME).acquire();
            locks.makeUnavailable();

            lease.close();

            assertThat(locks.time()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
        });
    }
}
