package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.lease.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** What a few threads do beside each other, for {@link Interleavings}. A scene that goes wrong throws, or does not end. */
public enum Scene {
    /** Each event is handled once, none beside another, and those of one thread in their order. */
    EVENTS {
        @Override
        void play() throws InterruptedException {
            AtomicInteger inside = new AtomicInteger();
            List<String> handled = new ArrayList<>();
            SerialQueue queue = new SerialQueue() {
                @Override
                protected void handle(Runnable event) {
                    check(inside.incrementAndGet() == 1, "two events at a time");
                    event.run();
                    inside.decrementAndGet();
                }

                @Override
                protected Executor ownThreads() {
                    return Runnable::run;
                }
            };
            Runnable[] posters = Stream.of("a", "b", "c")
                    .<Runnable>map(name -> () -> {
                        queue.post(() -> handled.add(name + 1));
                        queue.post(() -> handled.add(name + 2));
                    })
                    .toArray(Runnable[]::new);
            together(new SceneClock(), posters);
            check(handled.size() == 6, "an event was lost: " + handled);
            for (String name : List.of("a", "b", "c")) {
                check(handled.indexOf(name + 1) < handled.indexOf(name + 2), "out of order: " + handled);
            }
        }
    },

    /** Callers of one client take turns: one at a time has the lock, each with a greater token, and nobody is forgotten. */
    TURNS {
        @Override
        void play() throws InterruptedException {
            SceneClient one = new SceneClient();
            AtomicInteger inside = new AtomicInteger();
            List<Long> tokens = new ArrayList<>();
            Runnable turn = () -> {
                LeaseLock lock = one.lock();
                lock.lock();
                check(inside.incrementAndGet() == 1, "two have the lock");
                tokens.add(lock.fencingToken());
                inside.decrementAndGet();
                lock.unlock();
            };
            together(one.clock, turn, turn, turn);
            check(tokens.equals(tokens.stream().sorted().distinct().toList()), "tokens: " + tokens);
            check(one.client().statistics().waiting() == 0, "somebody waits");
            isFree(one);
        }
    },

    /** A lease is lost while its thread holds the lock twice: each unlock succeeds or reports the loss, and the hold ends. */
    LOSS {
        @Override
        void play() throws InterruptedException {
            SceneClient one = new SceneClient();
            LeaseLock lock = one.lock();
            lock.lock();
            lock.lock();
            Thread loser = new Thread(() -> one.held().forEach(lease -> lease.lose(LossCause.CLOSED)));
            loser.start();
            boolean reported = reportsLoss(lock);
            check(reportsLoss(lock) || !reported, "a lost hold was released");
            loser.join();
            check(!isHeld(lock), "a hold or a loss is left");
            isFree(one);
        }

        private static boolean reportsLoss(LeaseLock lock) {
            try {
                lock.unlock();
                return false;
            } catch (LeaseLostException lost) {
                return true;
            }
        }

        private static boolean isHeld(LeaseLock lock) {
            try {
                reportsLoss(lock);
                return true;
            } catch (IllegalMonitorStateException notHeld) {
                return false;
            }
        }
    },

    /** A client closes while its threads acquire and release: each of them gets an answer, and nothing is left in Redis. */
    CLOSING {
        @Override
        void play() throws InterruptedException {
            SceneClient one = new SceneClient();
            SceneClient another = one.another();
            Runnable caller = () -> {
                try {
                    one.lock().lock();
                    one.lock().unlock();
                } catch (LockUnavailableException | LeaseLostException closed) {
                    // Either is an answer of a client that closes.
                }
            };
            together(one.clock, caller, caller, () -> one.client().close(Duration.ofSeconds(1)));
            isFreeFor(another);
            one.close();
        }
    },

    /** Leases come and go while a round of renewals ends or goes on: each lease that is held is renewed by the next rounds. */
    ROUNDS {
        @Override
        void play() throws InterruptedException {
            SceneClient one = new SceneClient(Runnable::run);
            Lease first = one.lock().acquire();
            List<Lease> kept = new ArrayList<>();
            together(
                    one.clock,
                    () -> {
                        first.close();
                        kept.add(one.lock().acquire());
                    },
                    () -> one.clock.advance(Duration.ofSeconds(10)));
            for (int round = 0; round < 6; round++) {
                one.clock.advance(Duration.ofSeconds(10));
            }
            check(kept.size() == 1 && kept.get(0).isHeld(), "the lease was not renewed");
            kept.get(0).close();
            one.close();
        }
    },

    /** Answers to renewals come on several threads and out of order: the latest end counts. */
    CONFIRMATIONS {
        @Override
        void play() throws InterruptedException {
            Grant grant = new Grant("lock", "lock", "owner", 64, 3, 0, 1_000);
            together(
                    new SceneClock(),
                    () -> grant.confirm(100, 1_000, 300),
                    () -> grant.confirm(200, 1_000, 300),
                    () -> grant.confirm(150, 1_000, 300));
            check(grant.confirmedAt() == 200 && grant.endsAt() == 1_200 && grant.validUntil() == 1_150, "" + grant);
        }
    };

    /** Time passes only when nothing else can happen. The longest wait for time is that for a hand-over. */
    private static final Duration A_WHILE = Duration.ofMillis(25);

    abstract void play() throws InterruptedException;

    /** Loads classes and parses scripts, which would be thousands of steps of the first schedule. */
    public static String warmUp() {
        SceneClient one = new SceneClient();
        one.lock().lock();
        one.lock().unlock();
        isFree(one);
        return "";
    }

    /** Plays a scene, also where this class was loaded with a mutant. */
    public static String play(String name) throws InterruptedException {
        valueOf(name).play();
        return name;
    }

    private static void together(SceneClock clock, Runnable... bodies) throws InterruptedException {
        List<Thread> threads = Stream.of(bodies).map(Thread::new).toList();
        threads.forEach(Thread::start);
        for (int i = 0; i < 4 && threads.stream().anyMatch(Thread::isAlive); i++) {
            // A thread that sleeps goes on when no other one can.
            Thread.sleep(A_WHILE.toMillis());
            clock.advance(A_WHILE);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private static void isFree(SceneClient client) {
        SceneClient another = client.another();
        client.close();
        isFreeFor(another);
    }

    private static void isFreeFor(SceneClient another) {
        check(another.lock().tryLock(), "the lock is left in Redis");
        another.lock().unlock();
        another.close();
    }
}
