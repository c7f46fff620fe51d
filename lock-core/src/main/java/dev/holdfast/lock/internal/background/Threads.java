package dev.holdfast.lock.internal.background;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Creates the threads of the library. All of them are daemons. */
public final class Threads {

    private Threads() {}

    /** Returns a factory of threads that all clients share. */
    static ThreadFactory shared(String name) {
        return work -> shared(work, name);
    }

    static Thread shared(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        // Avoids the context class loader of the first caller, which may belong to an application that is undeployed
        // later.
        thread.setContextClassLoader(Threads.class.getClassLoader());
        return thread;
    }

    /** Returns an executor that runs each task on a separate thread. Tasks may block. A thread ends with its task. */
    public static ExecutorService oneForEach(String name, ThreadFactory threads) {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = threads.newThread(task);
            thread.setName(name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
