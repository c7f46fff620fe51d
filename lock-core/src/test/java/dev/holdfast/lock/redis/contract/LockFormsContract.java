package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link java.util.concurrent.locks.Lock} says of its methods, and of interrupts above all. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
interface LockFormsContract extends ContractPart {

    Duration LONG = Duration.ofSeconds(20);

    @Test
    default void lockWaitsOnWhenInterruptedAndKeepsTheInterrupt() throws Exception {
        String name = clients().name();
        clients().here(name).lock();
        try (ScriptedThread waiter = new ScriptedThread()) {
            var flag = waiter.start(() -> {
                clients().there(name).lock();
                boolean interrupted = Thread.interrupted();
                clients().there(name).unlock();
                return interrupted;
            });
            clients().awaitWaiting(clients().there(), name, 1);
            waiter.thread().interrupt();
            assertThat(waiter.start(() -> true)).isNotDone();
            clients().here(name).unlock();
            assertThat(ScriptedThread.outcome(flag)).isTrue();
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    @Tag("reach")
    default void interruptibleFormsGiveUpWhenInterruptedAndLeaveNothing() throws Exception {
        LeaseLock[] lock = new LeaseLock[1];
        for (ScriptedThread.Task form : interruptibleForms(lock)) {
            String name = clients().name();
            lock[0] = clients().there(name);
            clients().here(name).lock();
            try (ScriptedThread waiter = new ScriptedThread()) {
                var outcome = waiter.start(() -> {
                    form.run();
                    return true;
                });
                clients().awaitWaiting(clients().there(), name, 1);
                waiter.thread().interrupt();
                assertThatThrownBy(() -> ScriptedThread.outcome(outcome)).isInstanceOf(InterruptedException.class);
            }
            clients().awaitWaiting(clients().there(), name, 0);
            clients().here(name).unlock();
            // A request that was under way may have been granted. The grant is taken back.
            clients().awaitFree(name);
        }
    }

    @Test
    default void interruptibleFormsThrowAtOnceWhereTheFlagIsSetAndClearIt() throws Exception {
        LeaseLock[] lock = {clients().here(clients().name())};
        for (ScriptedThread.Task form : interruptibleForms(lock)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(form::run).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(lock[0].holdCount()).isZero();
        }
        assertThat(clients().isInRedis(lock[0].name())).isFalse();
    }

    private static ScriptedThread.Task[] interruptibleForms(LeaseLock[] lock) {
        return new ScriptedThread.Task[] {
            () -> lock[0].lockInterruptibly(),
            () -> lock[0].lockInterruptibly(LONG),
            () -> lock[0].tryLock(LONG),
            () -> lock[0].tryLock(LONG, LONG),
            () -> lock[0].tryLock(20, TimeUnit.SECONDS)
        };
    }

    @Test
    default void uninterruptibleFormsIgnoreTheFlagAndKeepIt() {
        LeaseLock lock = clients().here(clients().name());
        Thread.currentThread().interrupt();
        try {
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.lock(LONG);
            lock.unlock();
            lock.unlock();
            lock.unlock();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(clients().isInRedis(lock.name())).isFalse();
    }

    @Test
    default void acquireGivesUpWhenInterruptedAndKeepsTheFlag() throws Exception {
        String name = clients().name();
        clients().here(name).lock();
        boolean[] flag = new boolean[1];
        try (ScriptedThread waiter = new ScriptedThread()) {
            var outcome = waiter.start(() -> {
                try {
                    return clients().there(name).acquire();
                } finally {
                    flag[0] = Thread.currentThread().isInterrupted();
                }
            });
            clients().awaitWaiting(clients().there(), name, 1);
            waiter.thread().interrupt();
            assertThatThrownBy(() -> ScriptedThread.outcome(outcome))
                    .isInstanceOf(LockInterruptedException.class)
                    .hasMessageContaining(name);
            assertThat(flag[0]).isTrue();
        }
        clients().here(name).unlock();
        clients().awaitFree(name);
    }

    @Test
    default void timedFormsAnswer() throws Exception {
        String name = clients().name();
        assertThat(clients().here(name).tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(clients().there(name).tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(clients().there(name).tryLock(Duration.ofMillis(-1))).isFalse();
        clients().here(name).unlock();
        // Who has just given up may stand in a fair lock's queue for a moment still.
        Await.until(
                "nobody is in the way",
                Duration.ofSeconds(3),
                () -> clients().there(name).tryLock(Duration.ZERO, LONG));
        assertThat(clients().pttl(name)).isBetween(10_000L, 20_000L);
        clients().there(name).unlock();
    }

    @Test
    default void conditionsAreRefused() {
        LeaseLock lock = clients().here(clients().name());
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
