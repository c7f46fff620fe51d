package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.LockLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs what is posted one after the other: the first tasks on whichever thread posts, and the rest, where others go on posting, on the
 * client's own threads, so that no caller works for all others. What lives behind a queue needs no lock and can call out freely: a call
 * that comes back is posted behind the present one. Nothing posted may block. A task that throws, as any may do whose poster has used up
 * its stack, costs only itself: those behind it are run.
 */
final class SerialQueue {

    private static final LockLog LOG = LockLog.LOG;

    /** What one call does for others takes about as long as a command to Redis at most. */
    static final int MOST_AT_ONCE = 64;

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final Executor ownThreads;

    SerialQueue(Executor ownThreads) {
        this.ownThreads = ownThreads;
    }

    void post(Runnable task) {
        tasks.add(task);
        if (pending.getAndIncrement() == 0) {
            runSome();
        }
    }

    private void runSome() {
        int some = 0;
        do {
            if (some++ == MOST_AT_ONCE && movedToOwnThread()) {
                return;
            }
            run(tasks.remove());
        } while (pending.decrementAndGet() > 0);
    }

    private boolean movedToOwnThread() {
        try {
            ownThreads.execute(this::runSome);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    /** Has a look at what lives here. The answer must not be waited for in a task, which may be in its way. */
    <T> CompletableFuture<T> query(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        post(() -> {
            try {
                answer.complete(question.get());
            } catch (Throwable thrown) {
                answer.completeExceptionally(thrown);
            }
        });
        return answer;
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A step of waiting for a lock failed", thrown);
        }
    }
}
