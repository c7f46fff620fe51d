package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.RedisGateway;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks the names of locks, and builds the names of the keys and channels that the client itself uses. The scripts derive all other names from a
 * lock's key: the queue, the holds, and the channels on which a release is published. {@code docs/contributing/protocol.md} lists all of them.
 */
public final class LockKeys {

    public static final String TOKEN_KEY = "holdfast:token";
    public static final String CLIENT_KEY = "holdfast:client:";
    public static final String REIGN_KEY = "holdfast:reign";
    static final String WAKE = "holdfast:wake:";
    private static final String WAKE_OF_SLOT = WAKE + "{";

    /** A part of the key of every hold. A lock's name must not contain it. */
    static final String HOLD = ":rwlock_timeout:";

    private static final String PLAIN_CHANNEL = "redisson_lock__channel";
    private static final String READ_WRITE_CHANNEL = "redisson_rwlock";
    private static final int SLOTS = 16_384;

    private static final int MOST_BYTES = 512;
    private static final List<String> INTERNAL = List.of(
            TOKEN_KEY,
            CLIENT_KEY,
            WAKE,
            "holdfast:open:",
            REIGN_KEY,
            "holdfast:record:",
            "redisson_lock__channel:",
            "redisson_lock_queue:",
            "redisson_lock_timeout:",
            "redisson_rwlock:",
            "redisson_unlock_latch:");

    private final String prefix;
    private final KeySlots slots;

    public LockKeys(String prefix, KeySlots slots) {
        this.prefix = prefix;
        this.slots = slots;
    }

    /** Returns whether the keys of one script must share a slot. */
    public boolean isCluster() {
        return slots.areSeparate();
    }

    /** Returns whether the keys of one script must share a slot although the client is configured for one server. */
    public boolean isClusterAsOneServer() {
        return slots.areUnexpected();
    }

    /** Called when a script for several locks did not find one of them, although a script for this one lock found it. */
    void missed() {
        slots.missedKeys();
    }

    /** Returns the key of a lock. */
    public String lock(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            // Checked here, because with a prefix the key of an empty name would not be empty.
            throw new IllegalArgumentException("A lock's name must not be " + (name == null ? "null" : "empty"));
        }
        return check(prefix + name);
    }

    /**
     * Returns a key for a test of the user's rights.
     *
     * @param id a unique id
     */
    public String probe(String id) {
        return prefix + "holdfast:probe:" + id;
    }

    /** Returns the key of a client's name. */
    public String client(String client) {
        return CLIENT_KEY + client;
    }

    /** Returns the name of the lock with the given key, or null if the key cannot be the key of a lock. */
    public @Nullable String name(String key) {
        try {
            boolean isLock = key.startsWith(prefix) && !key.startsWith(probe(""));
            return isLock && check(key).length() > prefix.length() ? key.substring(prefix.length()) : null;
        } catch (IllegalArgumentException noName) {
            return null;
        }
    }

    /** Returns the pattern of Redis that matches the keys of all locks whose names match the given pattern. */
    public String keyPattern(String namePattern) {
        return prefix.replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + namePattern;
    }

    /** Returns the pattern of all names. Throws if locks have no prefix, because this pattern then matches all keys of the database. */
    public String allNames() {
        if (prefix.isEmpty()) {
            throw new IllegalStateException("The lock client has no key prefix, so every hash in the database would be"
                    + " read like a lock: give a pattern of the locks' names, or * if that is acceptable");
        }
        return "*";
    }

    /** Returns the channel on which releases of a plain lock are announced. */
    String plainChannel(String key) {
        return derived(PLAIN_CHANNEL, key);
    }

    /** Returns the channel on which releases of a read/write lock are announced. */
    String readWriteChannel(String key) {
        return derived(READ_WRITE_CHANNEL, key);
    }

    /** Returns the first part of the names of the channels on which clients are notified about a lock. The client's id follows it. */
    public String wakePrefix(String key) {
        return isCluster() ? WAKE_OF_SLOT + SlotNumbers.FIRST[RedisGateway.slotOf(key)] + "}:" : WAKE;
    }

    /** Returns whether a channel's name has the form that is in use now. The form changes when the client detects a cluster. */
    boolean isWakeChannel(String channel) {
        return channel.startsWith(WAKE_OF_SLOT) == isCluster();
    }

    /** Refuses keys that one script cannot write under some locks, because they are the locks' own, or in other slots. */
    void checkGuarded(List<String> locks, List<String> others) {
        String lock = locks.get(0);
        for (String key : others) {
            if (locks.contains(key) || key.startsWith(TOKEN_KEY)) {
                throw new IllegalArgumentException("The key '" + LogText.escape(key)
                        + "' belongs to the locks, so a guarded write must not change it. Use another key");
            }
            if (isCluster() && RedisGateway.slotOf(key) != RedisGateway.slotOf(lock)) {
                int open = lock.indexOf('{');
                String tag = open < 0 ? "{" + lock + "}" : lock.substring(open, lock.indexOf('}', open) + 1);
                throw new IllegalArgumentException("The key '" + LogText.escape(key)
                        + "' must be in the slot of the lock with the key '" + LogText.escape(lock)
                        + "', because Redis checks the lock where it writes. Use the key '"
                        + LogText.escape(tag + ":" + key) + "'");
            }
        }
    }

    /** Returns a name that is derived from a lock's key and belongs to the same slot. */
    private static String derived(String what, String key) {
        return key.indexOf('{') >= 0 ? what + ":" + key : what + ":{" + key + "}";
    }

    /**
     * Returns the key of the last number drawn for fencing tokens. There is one such key for each slot in use, or a single key without slots, so its
     * memory does not grow with the number of locks.
     */
    public String tokenKey(String key) {
        return isCluster() ? tokenKey(RedisGateway.slotOf(key)) : TOKEN_KEY;
    }

    /** Returns the keys of a script: the locks and, if keys have slots, the token key of their slot. The script builds all other names itself. */
    public List<String> withTokenKey(List<String> locks) {
        if (!isCluster()) {
            return locks;
        }
        List<String> all = new ArrayList<>(locks);
        all.add(tokenKey(locks.get(0)));
        return all;
    }

    /** Returns the key of a slot that is like {@link #tokenKey}. Also used to reach the slot's master. */
    public String tokenKey(int slot) {
        return TOKEN_KEY + ":{" + SlotNumbers.FIRST[slot] + "}";
    }

    /**
     * For each slot, the smallest number whose text falls into the slot. All clients therefore derive the same key. Computed once, which takes
     * milliseconds.
     */
    private static final class SlotNumbers {

        static final int[] FIRST = new int[SLOTS];

        static {
            Arrays.fill(FIRST, -1);
            int missing = SLOTS;
            for (int number = 0; missing > 0; number++) {
                int slot = RedisGateway.slotOf(Integer.toString(number));
                if (FIRST[slot] < 0) {
                    FIRST[slot] = number;
                    missing--;
                }
            }
        }
    }

    /** Checks a name with its prefix, and returns it unchanged. */
    static String check(String name) {
        if (name.isEmpty()) {
            throw bad(name, "must not be empty");
        }
        int bytes = encodedLength(name);
        if (bytes > MOST_BYTES) {
            throw bad(name, "must be 1 to " + MOST_BYTES + " bytes of UTF-8 with the prefix, was " + bytes);
        }
        for (String internal : INTERNAL) {
            if (name.startsWith(internal)) {
                throw bad(name, "must not begin with '" + internal + "': such keys are the locks' own");
            }
        }
        if (name.contains(HOLD)) {
            throw bad(name, "must not have '" + HOLD + "' in it: such keys are the locks' own");
        }
        checkBraces(name);
        return name;
    }

    /**
     * Checks that the braces of a name are absent or form one hash tag. The name of a lock's channel contains the lock's key, and puts the whole key
     * in braces if the key has no braces. Redis uses the text between the first opening brace and the next closing brace as the hash tag, if this
     * text is not empty. Key and channel must have the same tag.
     */
    private static void checkBraces(String name) {
        int open = name.indexOf('{');
        int close = name.indexOf('}', open + 1);
        boolean fits = open < 0 ? close < 0 : close > open + 1;
        if (!fits) {
            throw bad(
                    name,
                    "must have no braces, or a hash tag with something in it such as {tenant}: its keys would fall into"
                            + " different cluster slots");
        }
    }

    private static int encodedLength(String name) {
        int at = 0;
        while (at < name.length() && name.charAt(at) < 0x80) {
            at++;
        }
        if (at == name.length()) {
            return at;
        }
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw bad(name, "must be well-formed text, without half of a surrogate pair");
        }
    }

    private static IllegalArgumentException bad(String name, String what) {
        String shown = name.length() > 80 ? name.substring(0, 80) + "…" : name;
        return new IllegalArgumentException("A lock's name " + what + ": '" + LogText.escape(shown) + "'");
    }
}
