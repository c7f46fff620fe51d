package dev.holdfast.lock.redis;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names the owners: {@code <client>:<thread>:<grant>}, new for every grant, so that a command that comes late can only ever mean its own
 * grant. The client's part is random, 122 bits of it from a secure source.
 */
final class OwnerIds {

    private final String client = UUID.randomUUID().toString();
    private final AtomicLong grants = new AtomicLong();

    String next(Thread thread) {
        return client + ":" + thread.getId() + ":" + grants.incrementAndGet();
    }

    /** This client's part. */
    String client() {
        return client;
    }
}
