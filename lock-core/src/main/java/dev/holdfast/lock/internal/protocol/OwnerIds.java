package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.background.Background;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names the owners, with a new {@link OwnerId} for every grant, so that a command that comes late can only mean its own grant. The client's part is
 * random, 128 bits from a secure source in 22 characters: it is sent with every command.
 */
public final class OwnerIds {

    private static final int CLIENT_BYTES = 16;

    private final Background background;
    private final String client;
    private final AtomicLong grants = new AtomicLong();

    /** Names the owners of one start of a client. */
    public OwnerIds(Background background) {
        this.background = background;
        this.client = Base64.getUrlEncoder().withoutPadding().encodeToString(background.secureBytes(CLIENT_BYTES));
    }

    /**
     * A new owner.
     *
     * @param firstLeaseMillis the lease that a release may grant to it while it waits in the queue; 0 if it must ask
     * @param permits how many permits there are for this owner; 0 for a lock
     */
    public String next(Thread thread, long firstLeaseMillis, int permits) {
        return OwnerId.of(client, background.idOf(thread), grants.incrementAndGet(), firstLeaseMillis, permits);
    }

    /** This client's part. */
    public String client() {
        return client;
    }
}
