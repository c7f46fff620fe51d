package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the keys of a lock agree with each other, as docs/contributing/protocol.md says. Scripts rely on it for rare events: a clock that is set
 * back, a holder that dies, or a client of another version.
 */
public final class WireContract {

    /** The name of the check. */
    public static final String CHECK = "the keys of a lock are as the wire contract says";

    private static final String DEADLINES = "redisson_lock_timeout:{";
    private static final String WRITE = ":write";
    /** The number of fields of a semaphore that are not permits. */
    private static final int NOT_PERMITS = 3;

    private static final int PERMIT_PARTS = 3;

    /** A key, as a server has it. */
    public interface Key {
        Object value();

        /** Returns how many ms are left until its end; -1 if it has none. */
        long millisLeft();
    }

    private final Function<String, ? extends @Nullable Key> keys;
    private final String name;
    private final long now;

    private WireContract(Function<String, ? extends @Nullable Key> keys, String name, long now) {
        this.keys = keys;
        this.name = name;
        this.now = now;
    }

    /**
     * Returns what is wrong with the keys of a lock, or null.
     *
     * @param keys all keys of a server
     * @param now the server's time in ms since the epoch, which was never set back
     */
    public static @Nullable String broken(Function<String, ? extends @Nullable Key> keys, String name, long now) {
        Key lock = keys.apply(name);
        if (lock == null) {
            return null;
        }
        String broken = lock.value() instanceof Map<?, ?> fields
                ? new WireContract(keys, name, now).broken(fields, lock.millisLeft())
                : "it is not a hash";
        return broken == null
                ? null
                : name + ": " + broken + " in " + lock.value() + " with " + lock.millisLeft() + " ms left";
    }

    private @Nullable String broken(Map<?, ?> fields, long left) {
        if (fields.containsKey("mode")) {
            return brokenSides(fields, left);
        }
        return String.valueOf(fields.get("holdfast:kind")).endsWith("semaphore")
                ? brokenPermits(fields, left)
                : brokenHold(fields, left);
    }

    private static Stream<String> owners(Map<?, ?> fields) {
        return fields.keySet().stream().map(String::valueOf).filter(WireContract::isOwner);
    }

    /** Returns whether a field of a lock is that of a holder. */
    static boolean isOwner(String field) {
        return !field.startsWith("holdfast:") && !field.equals("mode");
    }

    /** Returns the key of the one hold that a client of this library has as a reader or writer. */
    public static String holdKey(String name, String field) {
        return "{" + name + "}:" + field + ":rwlock_timeout:1";
    }

    private @Nullable String brokenHold(Map<?, ?> fields, long left) {
        List<String> owners = owners(fields).toList();
        if (owners.size() != 1 || !"1".equals(fields.get(owners.get(0)))) {
            return "it does not have one owner";
        }
        if (number(fields.get("holdfast:token")) <= 0) {
            return "it has no token";
        }
        if (number(fields.get("holdfast:lease")) < left) {
            return "it outlives holdfast:lease";
        }
        // The release of a fair lock or of several names always looks at the queue. A lock that is kept for its minimum
        // hold has no release.
        boolean looks = "1".equals(fields.get("holdfast:line"))
                || "1".equals(fields.get("holdfast:granted"))
                || fields.containsKey("holdfast:kind")
                || owners.get(0).endsWith(":0");
        return looks || keys.apply(DEADLINES + name + "}") == null ? null : "its release will not look at the queue";
    }

    private @Nullable String brokenPermits(Map<?, ?> fields, long left) {
        List<String> owners = owners(fields).toList();
        if (fields.size() != owners.size() + NOT_PERMITS) {
            return "it has other fields than a semaphore";
        }
        long end = number(fields.get("holdfast:end"));
        long longest = number(fields.get("holdfast:longest"));
        for (String owner : owners) {
            String[] permit = String.valueOf(fields.get(owner)).split(":", -1);
            if (permit.length != PERMIT_PARTS || number(permit[2]) <= 0) {
                return "the permit is not readable of " + owner;
            }
            long ends = number(permit[0]);
            long lease = number(permit[1]);
            if (ends < end || lease > longest) {
                return "holdfast:end or holdfast:longest leaves out " + owner;
            }
            if (ends - now > left || ends - now > lease) {
                return "the permit outlives the lock or its own lease, of " + owner;
            }
        }
        return null;
    }

    private @Nullable String brokenSides(Map<?, ?> fields, long left) {
        boolean isWritten = false;
        for (String field : owners(fields).toList()) {
            isWritten |= field.endsWith(WRITE);
            Key hold = keys.apply(holdKey(name, field));
            if (!"1".equals(fields.get(field))) {
                return "the count of holds is not 1, of " + field;
            }
            if (hold != null) {
                String[] text = String.valueOf(hold.value()).split(":", -1);
                if (text.length != 2 || number(text[1]) <= 0 || number(text[0]) < hold.millisLeft()) {
                    return "the hold is not its longest lease and its token: " + hold.value() + " with "
                            + hold.millisLeft() + " ms left";
                }
                if (hold.millisLeft() > left) {
                    return "it ends before the hold of " + field;
                }
            }
        }
        return String.valueOf(fields.get("mode")).equals(isWritten ? "write" : "read")
                ? null
                : "the mode does not fit the holders";
    }

    private static long number(@Nullable Object text) {
        return text instanceof String digits && digits.matches("\\d+") ? Long.parseLong(digits) : -1;
    }
}
