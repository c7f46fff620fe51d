package dev.holdfast.lock.proxy;

/** The fixtures' threads: they never keep a JVM alive. */
public final class DaemonThreads {

    private DaemonThreads() {}

    public static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
