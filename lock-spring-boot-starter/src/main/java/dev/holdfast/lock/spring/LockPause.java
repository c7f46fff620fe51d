package dev.holdfast.lock.spring;

import dev.holdfast.lock.LogText;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pause of all methods that declare a lock, on all instances.
 *
 * @param name the lock's declared name
 * @param until when the pause ends by itself, by the server's clock
 * @param by who paused it; null if that is unknown
 * @param reason why
 */
public record LockPause(
        String name, Instant until, @Nullable String by, String reason) {

    /** {@return the pause on one line: by whom, until when, and why} */
    public String describe() {
        String who = by == null ? "" : " by '" + LogText.escape(by) + "'";
        return "paused" + who + " until " + until + " because: " + LogText.escape(reason);
    }
}
