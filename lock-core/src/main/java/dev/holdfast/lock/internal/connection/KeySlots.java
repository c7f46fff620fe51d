package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;

/**
 * Tells whether the keys of one script must share a slot. This depends on the server and not on its configured address: a cluster can be reached like
 * one server, by the endpoint of a service or through a proxy. A client detects a cluster when it connects or at the first refusal, and remembers it.
 */
public final class KeySlots {

    /** The advice for a cluster that is configured as one server. */
    public static final String FIX =
            "configure it as a cluster (RedisSource.cluster, or spring.data.redis.cluster.nodes), or give names that are"
                    + " locked together one hash tag, such as {tenant}";

    private static final LockLog LOG = LockLog.LOG;

    /** The advice for a service that refuses no script but misses keys. */
    public static final String SETTING = "set holdfast.separate-slots to true, or use RedisSource.withSeparateSlots()";

    private final boolean configured;
    private volatile boolean separate;
    private boolean missed;

    /** Takes the initial value from the configuration of the source. */
    public KeySlots(boolean separate) {
        this.configured = separate;
        this.separate = separate;
    }

    /** Returns whether the keys of one script must share a slot. */
    public boolean areSeparate() {
        return separate;
    }

    /** Returns whether the server is a cluster that is configured as one server. */
    public boolean areUnexpected() {
        return separate && !configured;
    }

    /** Called when the server says that it is a cluster. The self-check reports it. */
    void found() {
        separate = true;
    }

    /**
     * Called when a server that does not say what it is has refused a script because of its keys. Returns false if the client already knew about the
     * slots.
     */
    synchronized boolean foundBy(String refusal) {
        if (separate) {
            return false;
        }
        separate = true;
        LOG.log(
                System.Logger.Level.WARNING,
                "Redis is a cluster that is configured as one server ({0}). From now on each script uses keys of one slot;"
                        + " {1}",
                refusal,
                FIX);
        return true;
    }

    /**
     * Called when a script for several locks missed a lock that a script for this lock alone has found. Only logs a warning. The client's own setting
     * does not change, because clients with different settings draw tokens from different keys.
     */
    public synchronized void missedKeys() {
        if (!missed) {
            missed = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redis ran a script for several locks on a server that has only some of them: a service or a proxy in front"
                            + " of it sends a script to the server of its first key. From now on each lock is renewed by two scripts,"
                            + " and several names at once do not exclude other clients: {0}",
                    SETTING);
        }
    }
}
