package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** Holdfast that sends its releases and does not wait for the answer. */
final class UnawaitedContender implements Contender {

    private final Contender holdfast;

    UnawaitedContender(int port) {
        this.holdfast = new HoldfastContender(port);
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        return new TriedLock() {

            private @Nullable Runnable release;

            @Override
            boolean take() {
                release = holdfast.acquire(name, true).join();
                return true;
            }

            @Override
            public void unlock() {
                Objects.requireNonNull(release).run();
            }
        };
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
