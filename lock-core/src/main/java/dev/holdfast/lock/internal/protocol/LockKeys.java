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
 * What can be the name of a lock, and the names of the keys and channels that the client uses itself. The scripts make the others from a lock's key:
 * its queue, its holds, and the channels on which a release is published. {@code docs/protocol.md} lists all of them.
 */
public final class LockKeys {

    public static final String TOKEN_KEY = "holdfast:token";
    public static final String CLIENT_KEY = "holdfast:client:";
    static final String WAKE = "holdfast:wake:";
    private static final String WAKE_OF_SLOT = WAKE + "{";

    /** Stands in the name of every hold, and so in no lock's name. */
    static final String HOLD = ":rwlock_timeout:";

    private static final String PLAIN_CHANNEL = "redisson_lock__channel";
    private static final String READ_WRITE_CHANNEL = "redisson_rwlock";
    private static final int SLOTS = 16_384;

    private static final int MOST_BYTES = 512;
    private static final List<String> INTERNAL = List.of(
            TOKEN_KEY,
            CLIENT_KEY,
            WAKE,
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

    /** Whether keys of one script must share a slot. */
    public boolean isCluster() {
        return slots.areSeparate();
    }

    /** Whether they must, although the client is configured for one server. */
    public boolean isClusterAsOneServer() {
        return slots.areUnexpected();
    }

    /** A script of several locks missed one that a script of its own has found. */
    void missed() {
        slots.missedKeys();
    }

    /** The key of a lock. */
    public String lock(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            // With a prefix its key would not be empty.
            throw new IllegalArgumentException("A lock's name must not be " + (name == null ? "null" : "empty"));
        }
        return check(prefix + name);
    }

    /**
     * A key to try the user's rights on.
     *
     * @param id nobody else's
     */
    public String probe(String id) {
        return prefix + "holdfast:probe:" + id;
    }

    /** What a client calls itself. */
    public String client(String client) {
        return CLIENT_KEY + client;
    }

    /** Where releases of a plain lock are announced. */
    String plainChannel(String key) {
        return derived(PLAIN_CHANNEL, key);
    }

    /** Where releases of a read/write lock are announced. */
    public String readWriteChannel(String key) {
        return derived(READ_WRITE_CHANNEL, key);
    }

    /** What the names of the channels begin with on which clients hear of a lock. A client's id follows. */
    public String wakePrefix(String key) {
        return isCluster() ? WAKE_OF_SLOT + SlotNumbers.FIRST[RedisGateway.slotOf(key)] + "}:" : WAKE;
    }

    /** Whether a channel's name is of the kind that is used now. */
    boolean isWakeChannel(String channel) {
        return channel.startsWith(WAKE_OF_SLOT) == isCluster();
    }

    /** A name beside a lock's, in the same slot. */
    private static String derived(String what, String key) {
        return key.indexOf('{') >= 0 ? what + ":" + key : what + ":{" + key + "}";
    }

    /**
     * Where the last fencing token is kept: one key for each slot in use, and one in all where there are no slots, so that the tokens' memory
     * does not grow with the number of locks.
     */
    public String tokenKey(String key) {
        return isCluster() ? tokenKeyOfSlot(RedisGateway.slotOf(key)) : TOKEN_KEY;
    }

    /** The keys of a script: the locks and, where keys have slots, the token key of their slot. A script makes all other names itself. */
    public List<String> withTokenKey(List<String> locks) {
        if (!isCluster()) {
            return locks;
        }
        List<String> all = new ArrayList<>(locks);
        all.add(tokenKey(locks.get(0)));
        return all;
    }

    private static String tokenKeyOfSlot(int slot) {
        return TOKEN_KEY + ":{" + SlotNumbers.FIRST[slot] + "}";
    }

    /** For each slot the first number that falls into it: every client must come to the same key. Found once, in milliseconds. */
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

    /** Gives the name back if it is fit. */
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
     * A lock's channel is named after its key, with the whole key in braces where it has none of its own. Redis takes what stands between the
     * first opening brace and the next closing one as the slot's tag, if it is not empty; key and channel must come to the same tag.
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
