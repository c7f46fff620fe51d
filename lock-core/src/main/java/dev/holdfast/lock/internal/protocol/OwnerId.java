package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.background.Background;
import java.util.Base64;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * An owner id, which has the form {@code <client>:<thread>:<grant>}. It is followed by {@code :<first lease>} in ms unless this is the usual first
 * lease, and for a semaphore also by {@code :<permits>}. An owner id of Redisson has the form {@code <client>:<thread>}. The scripts parse owner ids
 * in {@code lib/owner.lua}.
 *
 * @param text the id as stored in Redis. Another library may have written any text
 */
public record OwnerId(String text) {

    /** The first lease of an owner whose id contains no first lease. */
    public static final long USUAL_FIRST_LEASE_MILLIS = 3_000;

    /** The suffix of a writer's field in the hash of a read/write lock. It follows the writer's owner id. */
    private static final String WRITER = ":write";

    private static final Pattern OF_REDISSON =
            Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}:\\d+");

    /**
     * Returns the text of an owner id.
     *
     * @param firstLeaseMillis the lease that a release may grant to the waiting owner; 0 if the owner must ask for each grant
     * @param permits the number of permits for this owner; 0 for a lock
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

    /** Returns the owner id in a field of a lock's hash. The field may be that of a reader or a writer. */
    static OwnerId ofField(String field) {
        return new OwnerId(field.endsWith(WRITER) ? field.substring(0, field.length() - WRITER.length()) : field);
    }

    /** Returns whether this library wrote the id. */
    public boolean isOurs() {
        return text.indexOf(':') != text.lastIndexOf(':');
    }

    /** Returns whether Redisson wrote the id. Its clients are UUIDs. */
    public boolean isOfRedisson() {
        return OF_REDISSON.matcher(text).matches();
    }

    public String client() {
        return part(0);
    }

    /** Returns the thread's id, or an empty value if the owner id contains none. */
    public OptionalLong thread() {
        try {
            return OptionalLong.of(Long.parseLong(part(1)));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the number of permits for the owner of a semaphore. */
    public int permits() {
        return Integer.parseInt(part(4));
    }

    private String part(int index) {
        String[] parts = text.split(":", -1);
        return index < parts.length ? parts[index] : "";
    }

    /**
     * Creates the owner ids of one client. Every grant gets a new owner id, so that a command that arrives late can only affect its own grant. The
     * client's part of the id consists of 128 random bits from a secure source, in 22 characters. It is short because it is sent with every command.
     */
    public static final class Source {

        private static final int CLIENT_BYTES = 16;

        private final Background background;
        private final String client;
        private final AtomicLong grants = new AtomicLong();
        /** The channels on which the client is notified, by the part that precedes its id. All locks of a channel share one string. */
        private final Map<String, String> channels = new ConcurrentHashMap<>();

        /** Creates the source of owner ids for one session of a client. */
        public Source(Background background) {
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
            return of(client, background.idOf(thread), grants.incrementAndGet(), firstLeaseMillis, permits);
        }

        /** Returns the channel with this first part on which this client is notified. */
        public String channel(String prefix) {
            String known = channels.get(prefix);
            return known != null ? known : channels.computeIfAbsent(prefix, first -> first + client);
        }

        /** Returns this client's part of the owner ids. */
        public String client() {
            return client;
        }
    }
}
