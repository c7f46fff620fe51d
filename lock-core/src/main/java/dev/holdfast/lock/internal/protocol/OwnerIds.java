package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.background.Background;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Creates the owner ids of one client. Every grant gets a new {@link OwnerId}, so that a command that arrives late can only affect its own grant. The
 * client's part of the id consists of 128 random bits from a secure source, in 22 characters. It is short because it is sent with every command.
 */
public final class OwnerIds {

    private static final int CLIENT_BYTES = 16;

    private final Background background;
    private final String client;
    private final AtomicLong grants = new AtomicLong();

    /** Creates the source of owner ids for one session of a client. */
    public OwnerIds(Background background) {
        this.background = background;
        this.client = Base64.getUrlEncoder().withoutPadding().encodeToString(background.secureBytes(CLIENT_BYTES));
    }

    /**
     * Returns a new owner id.
     *
     * @param firstLeaseMillis the lease that a release may grant to the owner while it waits in the queue; 0 if the owner must ask for each grant
     * @param permits the number of permits for this owner; 0 for a lock
     */
    public String next(Thread thread, long firstLeaseMillis, int permits) {
        return OwnerId.of(client, background.idOf(thread), grants.incrementAndGet(), firstLeaseMillis, permits);
    }

    /** Returns this client's part of the owner ids. */
    public String client() {
        return client;
    }
}
