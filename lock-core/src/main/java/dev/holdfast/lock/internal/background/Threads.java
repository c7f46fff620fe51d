package dev.holdfast.lock.internal.background;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** How the library makes threads. All are daemons. */
public final class Threads {

    private Threads() {}

    /** Makes the threads that all clients share. */
    static ThreadFactory shared(String name) {
        return work -> shared(work, name);
    }

    static Thread shared(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        // Not that of the first caller: it may belong to an application that is undeployed later.
        thread.setContextClassLoader(Threads.class.getClassLoader());
        return thread;
    }

    /** Makes plain threads. */
    public static ThreadFactory plain() {
        return Thread::new;
    }

    /** Runs each task, which may block, on a thread of its own, which ends with it. */
    public static ExecutorService oneForEach(String name, ThreadFactory threads) {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = threads.newThread(task);
            thread.setName(name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
