package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LogText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stack of a thread at the moment it acquired a lock. It is a throwable so that every logger can print it, but it is never thrown. Not recorded
 * by default, because walking a stack is slow.
 */
public final class AcquisitionSite extends Throwable {

    private static final long serialVersionUID = 1L;

    public AcquisitionSite(String lockName) {
        super("Lock '" + LogText.escape(lockName) + "' was acquired here, by thread '"
                + LogText.escape(Thread.currentThread().getName()) + "'");
    }

    /** Returns the recorded calls, innermost first, or an empty list if nothing was recorded. */
    public static List<StackTraceElement> calls(@Nullable AcquisitionSite site) {
        return site == null ? List.of() : List.of(site.getStackTrace());
    }
}
