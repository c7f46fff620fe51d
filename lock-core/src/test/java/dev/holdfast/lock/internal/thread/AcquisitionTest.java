package dev.holdfast.lock.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.background.Background;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller that waits for an acquisition and is interrupted. */
class AcquisitionTest {

    /** An acquisition whose outcome comes at the moment of the interrupt, or not at all. */
    private static final class Interrupted extends Acquisition<AbstractLease> {

        private final boolean isLate;

        Interrupted(boolean isLate) {
            this.isLate = isLate;
        }

        @Override
        protected boolean giveUp() {
            return !isLate || !complete(Optional.empty());
        }

        @Override
        protected Background background() {
            return Background.SYSTEM;
        }

        @Override
        protected String lockName() {
            return "order:42";
        }

        @Override
        protected RuntimeException failure(@Nullable Throwable thrown) {
            return new IllegalStateException(thrown);
        }

        @Override
        protected CompletableFuture<Optional<LockState>> presentState() {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        protected LockException busy(Optional<LockState> found) {
            return new LockException(lockName(), "busy", null);
        }
    }

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void interruptGivesUp() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(new Interrupted(false)::await);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Otherwise, nobody would release the lease. */
    @Test
    void callerGetsAnOutcomeThatComesBesideTheInterrupt() throws InterruptedException {
        Thread.currentThread().interrupt();

        assertThat(new Interrupted(true).await()).isEmpty();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
