package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;

/**
 * Whether the keys of one script must share a slot. This is a property of the server, not of how its address was written: a cluster can be reached as
 * one server, by the endpoint of a service or through a proxy. A client finds it out when it connects, or by the first refusal, and does not forget it.
 */
public final class KeySlots {

    /** What to do about a cluster that is configured as one server. */
    public static final String FIX =
            "configure it as a cluster (RedisSource.cluster, or spring.data.redis.cluster.nodes), or give names that are"
                    + " locked together one hash tag, such as {tenant}";

    private static final LockLog LOG = LockLog.LOG;

    /** What to do about a service that refuses no script and misses keys. */
    public static final String SETTING = "set holdfast.separate-slots to true, or use RedisSource.withSeparateSlots()";

    private final boolean configured;
    private volatile boolean separate;
    private boolean missed;

    /** What the source says. */
    public KeySlots(boolean separate) {
        this.configured = separate;
        this.separate = separate;
    }

    /** Whether the keys of one script must share a slot. */
    public boolean areSeparate() {
        return separate;
    }

    /** Whether the server is a cluster that is configured as one server. */
    public boolean areUnexpected() {
        return separate && !configured;
    }

    /** The server says that it is a cluster. The self-check reports it. */
    void found() {
        separate = true;
    }

    /** A server that does not say what it is has refused a script for its keys. Returns false if that was known. */
    synchronized boolean foundBy(RedisFailure refusal) {
        if (separate) {
            return false;
        }
        separate = true;
        LOG.log(
                System.Logger.Level.WARNING,
                "Redis is a cluster that is configured as one server ({0}). From now on each script uses keys of one slot;"
                        + " {1}",
                refusal.getMessage(),
                FIX);
        return true;
    }

    /**
     * A script of several locks missed one that a script of its own has found. What the client uses stays as it is: clients that do not agree on it
     * draw tokens from different keys.
     */
    public synchronized void missedKeys() {
        if (!missed) {
            missed = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redis ran a script of several locks where only some of them are: a service or a proxy before it sends a"
                            + " script to the server of its first key. Each lock is renewed by two scripts now, and several names at"
                            + " once do not exclude other clients: {0}",
                    SETTING);
        }
    }
}
