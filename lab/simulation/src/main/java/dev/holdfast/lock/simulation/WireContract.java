package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the keys of a lock agree with each other, as the page about the wire contract says. Scripts rely on that for what happens seldom: a
 * clock that is set back, a holder that dies, or a client of another version.
 */
public final class WireContract {

    /** The name of the check. */
    public static final String CHECK = "the keys of a lock are as the wire contract says";

    private static final String DEADLINES = "redisson_lock_timeout:{";
    private static final String WRITE = ":write";
    /** Of a semaphore: its kind, an early end and a longest lease. */
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
                : "it is no hash";
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
        return fields.keySet().stream()
                .map(String::valueOf)
                .filter(field -> !field.startsWith("holdfast:") && !field.equals("mode"));
    }

    private @Nullable String brokenHold(Map<?, ?> fields, long left) {
        List<String> owners = owners(fields).toList();
        if (owners.size() != 1 || !"1".equals(fields.get(owners.get(0)))) {
            return "there is no one owner";
        }
        if (number(fields.get("holdfast:token")) <= 0) {
            return "there is no token";
        }
        if (number(fields.get("holdfast:lease")) < left) {
            return "it outlives holdfast:lease";
        }
        // The release of a fair lock, or of several names, looks for the queue itself, and a lock that is kept has no
        // release.
        boolean looks = "1".equals(fields.get("holdfast:line"))
                || "1".equals(fields.get("holdfast:granted"))
                || fields.containsKey("holdfast:kind")
                || owners.get(0).endsWith(":0");
        return looks || keys.apply(DEADLINES + name + "}") == null ? null : "its release will not look for the queue";
    }

    private @Nullable String brokenPermits(Map<?, ?> fields, long left) {
        List<String> owners = owners(fields).toList();
        if (fields.size() != owners.size() + NOT_PERMITS) {
            return "there are other fields";
        }
        long end = number(fields.get("holdfast:end"));
        long longest = number(fields.get("holdfast:longest"));
        for (String owner : owners) {
            String[] permit = String.valueOf(fields.get(owner)).split(":", -1);
            if (permit.length != PERMIT_PARTS || number(permit[2]) <= 0) {
                return "no permit is " + owner;
            }
            long ends = number(permit[0]);
            long lease = number(permit[1]);
            if (ends < end || lease > longest) {
                return "holdfast:end or holdfast:longest does not include " + owner;
            }
            if (ends - now > left || ends - now > lease) {
                return "the lock's end or its lease is too early for " + owner;
            }
        }
        return null;
    }

    private @Nullable String brokenSides(Map<?, ?> fields, long left) {
        boolean isWritten = false;
        for (String field : owners(fields).toList()) {
            isWritten |= field.endsWith(WRITE);
            Key hold = keys.apply("{" + name + "}:" + field + ":rwlock_timeout:1");
            if (!"1".equals(fields.get(field))) {
                return "no count of a hold has " + field;
            }
            if (hold != null) {
                String[] text = String.valueOf(hold.value()).split(":", -1);
                if (text.length != 2 || number(text[1]) <= 0 || number(text[0]) < hold.millisLeft()) {
                    return "not the longest lease and a token: " + hold.value() + " with " + hold.millisLeft()
                            + " ms left";
                }
                if (hold.millisLeft() > left) {
                    return "it ends before the hold of " + field;
                }
            }
        }
        return String.valueOf(fields.get("mode")).equals(isWritten ? "write" : "read") ? null : "mode is wrong";
    }

    private static long number(@Nullable Object text) {
        return text instanceof String digits && digits.matches("\\d+") ? Long.parseLong(digits) : -1;
    }
}
