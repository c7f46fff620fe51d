package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link java.util.concurrent.locks.Lock} says of its methods, and of interrupts above all. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
interface LockFormsContract extends OnStage {

    Duration LONG = Duration.ofSeconds(20);

    @Test
    default void lockWaitsOnWhenInterruptedAndKeepsTheInterrupt() throws Exception {
        String name = on().name();
        on().here(name).lock();
        try (Actor waiter = new Actor()) {
            var flag = waiter.begins(() -> {
                on().there(name).lock();
                boolean interrupted = Thread.interrupted();
                on().there(name).unlock();
                return interrupted;
            });
            on().awaitWaiting(on().there(), name, 1);
            waiter.thread().interrupt();
            assertThat(waiter.begins(() -> true)).isNotDone();
            on().here(name).unlock();
            assertThat(Actor.outcome(flag)).isTrue();
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    @Tag("reach")
    default void interruptibleFormsGiveUpWhenInterruptedAndLeaveNothing() throws Exception {
        LeaseLock[] lock = new LeaseLock[1];
        for (Actor.Deed form : interruptibleForms(lock)) {
            String name = on().name();
            lock[0] = on().there(name);
            on().here(name).lock();
            try (Actor waiter = new Actor()) {
                var outcome = waiter.begins(() -> {
                    form.run();
                    return true;
                });
                on().awaitWaiting(on().there(), name, 1);
                waiter.thread().interrupt();
                assertThatThrownBy(() -> Actor.outcome(outcome)).isInstanceOf(InterruptedException.class);
            }
            on().awaitWaiting(on().there(), name, 0);
            on().here(name).unlock();
            // A question that was on its way may have been granted; it is taken back.
            on().awaitFree(name);
        }
    }

    @Test
    default void interruptibleFormsThrowAtOnceWhereTheFlagIsSetAndClearIt() throws Exception {
        LeaseLock[] lock = {on().here(on().name())};
        for (Actor.Deed form : interruptibleForms(lock)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(form::run).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(lock[0].holdCount()).isZero();
        }
        assertThat(on().isInRedis(lock[0].name())).isFalse();
    }

    private static Actor.Deed[] interruptibleForms(LeaseLock[] lock) {
        return new Actor.Deed[] {
            () -> lock[0].lockInterruptibly(),
            () -> lock[0].tryLock(LONG),
            () -> lock[0].tryLock(LONG, LONG),
            () -> lock[0].tryLock(20, TimeUnit.SECONDS)
        };
    }

    @Test
    default void uninterruptibleFormsIgnoreTheFlagAndKeepIt() {
        LeaseLock lock = on().here(on().name());
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
        assertThat(on().isInRedis(lock.name())).isFalse();
    }

    @Test
    default void acquireGivesUpWhenInterruptedAndKeepsTheFlag() throws Exception {
        String name = on().name();
        on().here(name).lock();
        boolean[] flag = new boolean[1];
        try (Actor waiter = new Actor()) {
            var outcome = waiter.begins(() -> {
                try {
                    return on().there(name).acquire();
                } finally {
                    flag[0] = Thread.currentThread().isInterrupted();
                }
            });
            on().awaitWaiting(on().there(), name, 1);
            waiter.thread().interrupt();
            assertThatThrownBy(() -> Actor.outcome(outcome))
                    .isInstanceOf(LockInterruptedException.class)
                    .hasMessageContaining(name);
            assertThat(flag[0]).isTrue();
        }
        on().here(name).unlock();
        on().awaitFree(name);
    }

    @Test
    default void timedFormsAnswer() throws Exception {
        String name = on().name();
        assertThat(on().here(name).tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(on().there(name).tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(on().there(name).tryLock(Duration.ofMillis(-1))).isFalse();
        on().here(name).unlock();
        // Who has just given up may stand in a fair lock's queue for a moment still.
        Await.until(
                "nobody is in the way",
                Duration.ofSeconds(3),
                () -> on().there(name).tryLock(Duration.ZERO, LONG));
        assertThat(on().pttl(name)).isBetween(10_000L, 20_000L);
        on().there(name).unlock();
    }

    @Test
    default void conditionsAreRefused() {
        LeaseLock lock = on().here(on().name());
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
