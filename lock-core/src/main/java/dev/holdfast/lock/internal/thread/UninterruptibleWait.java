package dev.holdfast.lock.internal.thread;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits that no interrupt ends. The thread's interrupt status is set afterward. */
public final class UninterruptibleWait {

    private UninterruptibleWait() {}

    /** Waits for a while. */
    public static <T> T get(Future<T> future, long nanos) throws ExecutionException, TimeoutException {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
