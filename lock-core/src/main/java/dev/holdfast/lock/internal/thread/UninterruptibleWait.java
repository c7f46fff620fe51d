package dev.holdfast.lock.internal.thread;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits that no interrupt ends. The thread's interrupt status is set afterward. */
public final class UninterruptibleWait {

    private UninterruptibleWait() {}

    /** Waits for as long as it takes. */
    public static <T> T get(Future<T> future) throws ExecutionException {
        return stubbornly(future::get);
    }

    /** Waits for a while. */
    public static <T> T get(Future<T> future, long nanos) throws ExecutionException, TimeoutException {
        long end = System.nanoTime() + nanos;
        return UninterruptibleWait.<T, TimeoutException>stubbornly(
                () -> future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS));
    }

    private interface Wait<T, E extends Exception> {
        T end() throws E, ExecutionException, InterruptedException;
    }

    private static <T, E extends Exception> T stubbornly(Wait<T, E> wait) throws E, ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.end();
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
