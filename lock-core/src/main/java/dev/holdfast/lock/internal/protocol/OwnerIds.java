package dev.holdfast.lock.internal.protocol;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names the owners: {@code <client>:<thread>:<grant>:<first lease>}, new for every grant, so that a command that comes late can only ever mean its own
 * grant. The client's part is random, 122 bits of it from a secure source.
 */
public final class OwnerIds {

    private final String client = UUID.randomUUID().toString();
    private final AtomicLong grants = new AtomicLong();

    /**
     * A new owner.
     *
     * @param firstLeaseMillis the lease that a release may grant to it while it waits in line; 0 if it must ask
     */
    public String next(Thread thread, long firstLeaseMillis) {
        return client + ":" + thread.getId() + ":" + grants.incrementAndGet() + ":" + firstLeaseMillis;
    }

    /** Whether the owner is one of this library's. Those of Redisson have one colon. */
    public static boolean isOurs(String owner) {
        return owner.indexOf(':') != owner.lastIndexOf(':');
    }

    /** This client's part. */
    public String client() {
        return client;
    }
}
