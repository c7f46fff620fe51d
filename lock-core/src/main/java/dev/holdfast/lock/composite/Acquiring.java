package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A blocked caller's view of an acquisition. */
record Acquiring(String lockName, CompletableFuture<CompositeLease> acquisition) {

    /** An interrupt gives up and leaves nothing behind. */
    CompositeLease await() throws InterruptedException {
        try {
            return acquisition.get();
        } catch (InterruptedException e) {
            if (acquisition.cancel(false)) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly();
        } catch (ExecutionException e) {
            throw anew(e.getCause());
        }
    }

    CompositeLease awaitUninterruptibly() {
        try {
            return UninterruptibleWait.get(acquisition);
        } catch (ExecutionException e) {
            throw anew(e.getCause());
        }
    }

    CompositeLease awaitUnchecked() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lockName, e);
        }
    }

    /** So that the stack trace is the caller's. */
    private RuntimeException anew(@Nullable Throwable thrown) {
        RuntimeException anew;
        if (thrown instanceof LockNotAcquiredException busy) {
            anew = new LockNotAcquiredException(busy.lockName(), busy.waited(), busy);
        } else if (thrown instanceof LockUnavailableException down) {
            anew = new LockUnavailableException(down.lockName(), String.valueOf(down.getMessage()), down.getCause());
        } else {
            return new IllegalStateException("Waiting for lock '" + LogText.escape(lockName) + "' failed", thrown);
        }
        for (Throwable part : thrown.getSuppressed()) {
            anew.addSuppressed(part);
        }
        return anew;
    }
}
