package dev.holdfast.lock.testing;

/** The fixtures' threads: they never keep a JVM alive. */
final class DaemonThreads {

    private DaemonThreads() {}

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
