package dev.holdfast.lock.internal.protocol;

import java.util.OptionalLong;

/**
 * The grammar of owner ids: {@code <client>:<thread>:<grant>}, then {@code :<first lease>} in ms, which is left out where it is the usual one, and for
 * a semaphore {@code :<permits>}. Redisson's owners are {@code <client>:<thread>}. For scripts the same is in {@code lib/owner.lua}.
 *
 * @param text the id, as Redis keeps it; other libraries may have written anything
 */
public record OwnerId(String text) {

    /** The first lease of an owner whose id names none. */
    public static final long USUAL_FIRST_LEASE_MILLIS = 3_000;

    /** What follows a writer's id in the field of a read/write lock. */
    private static final String WRITER = ":write";

    /**
     * Writes an id.
     *
     * @param firstLeaseMillis the lease that a release may grant to the owner while it waits; 0 if it must ask
     * @param permits how many permits there are for this owner; 0 for a lock
     */
    static String of(String client, long thread, long grant, long firstLeaseMillis, int permits) {
        String owner = client + ":" + thread + ":" + grant;
        if (permits > 0) {
            return owner + ":" + firstLeaseMillis + ":" + permits;
        }
        return firstLeaseMillis == USUAL_FIRST_LEASE_MILLIS ? owner : owner + ":" + firstLeaseMillis;
    }

    static String writerField(String owner) {
        return owner + WRITER;
    }

    /** The owner whose field it is in a read/write lock, on whichever side. */
    static OwnerId ofField(String field) {
        return new OwnerId(field.endsWith(WRITER) ? field.substring(0, field.length() - WRITER.length()) : field);
    }

    /** Whether this library wrote it. */
    public boolean isOurs() {
        return text.indexOf(':') != text.lastIndexOf(':');
    }

    public String client() {
        return part(0);
    }

    /** The thread's id; empty if there is none. */
    public OptionalLong thread() {
        try {
            return OptionalLong.of(Long.parseLong(part(1)));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** How many permits there are for the owner of a semaphore. */
    public int permits() {
        return Integer.parseInt(part(4));
    }

    private String part(int index) {
        String[] parts = text.split(":", -1);
        return index < parts.length ? parts[index] : "";
    }
}
