package dev.holdfast.lock.benchmarks;

/** Starts threads that contend for locks: platform threads or, with {@code -Dvirtual=true}, virtual threads. */
final class ContenderThread {

    static final boolean VIRTUAL = Boolean.getBoolean("virtual");
    private static final long STACK_BYTES = 256 * 1024;

    private ContenderThread() {}

    static Thread start(Runnable work) {
        if (!VIRTUAL) {
            Thread thread = new Thread(null, work, "contender", STACK_BYTES);
            thread.start();
            return thread;
        }
        try {
            // Called by reflection, because Java 17 does not have this method.
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Virtual threads need Java 21 or later", e);
        }
    }
}
