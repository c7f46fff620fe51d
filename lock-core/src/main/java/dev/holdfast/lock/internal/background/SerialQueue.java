package dev.holdfast.lock.internal.background;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs tasks one after the other, in the order in which they were posted. Objects that only tasks of one queue use need no lock, and can call
 * other code freely: a call that comes back is posted behind the present task. A thread that posts runs at most a few tasks, and the client's own
 * threads run the rest, so that no caller works for all others. A task that throws, for example because its poster has used up its stack, does
 * not stop the tasks behind it.
 */
public final class SerialQueue {

    private static final LockLog LOG = LockLog.LOG;

    /** What one call does for others takes about as long as a command to Redis at most. */
    static final int MOST_AT_ONCE = 64;

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final boolean postersRun;
    private final Executor ownThreads;

    private SerialQueue(boolean postersRun, Executor ownThreads) {
        this.postersRun = postersRun;
        this.ownThreads = ownThreads;
    }

    /** Creates a queue whose first tasks run on the thread that posts them. They must not block. */
    public static SerialQueue onPosters(Executor ownThreads) {
        return new SerialQueue(true, ownThreads);
    }

    /** Creates a queue whose tasks run on the client's threads only. They may block. */
    public static SerialQueue onOwnThreads(Executor ownThreads) {
        return new SerialQueue(false, ownThreads);
    }

    public void post(Runnable task) {
        tasks.add(task);
        if (pending.getAndIncrement() == 0 && (postersRun || !movedToOwnThread())) {
            runSome();
        }
    }

    /** How many tasks have not ended. */
    public int pending() {
        return pending.get();
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
    public <T> CompletableFuture<T> query(Supplier<T> question) {
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
            LOG.log(System.Logger.Level.ERROR, "A task of a lock client failed", thrown);
        }
    }
}
