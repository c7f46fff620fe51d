package dev.holdfast.lock.testing;

/** The proxy's threads: they never keep a JVM alive. */
final class ProxyThreads {

    private ProxyThreads() {}

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
