package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LogText;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What can be the name of a lock's key. */
final class LockNames {

    private static final int MOST_BYTES = 512;
    private static final List<String> INTERNAL = List.of(
            LockKeys.TOKEN_KEY,
            LockKeys.CLIENT_KEY,
            LockKeys.WAKE,
            "redisson_lock__channel:",
            "redisson_lock_queue:",
            "redisson_lock_timeout:",
            "redisson_rwlock:",
            "redisson_unlock_latch:");

    private LockNames() {}

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
        if (name.contains(LockKeys.HOLD)) {
            throw bad(name, "must not have '" + LockKeys.HOLD + "' in it: such keys are the locks' own");
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
