package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LogText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a lock was acquired: the stack of the acquiring thread, as every logger prints it. Never thrown. Walking a stack is slow, so off by
 * default.
 */
public final class AcquisitionSite extends Throwable {

    private static final long serialVersionUID = 1L;

    public AcquisitionSite(String lockName) {
        super("Lock '" + LogText.escape(lockName) + "' was acquired here, by thread '"
                + LogText.escape(Thread.currentThread().getName()) + "'");
    }

    /** The calls, innermost first; empty if nothing was recorded. */
    public static List<StackTraceElement> calls(@Nullable AcquisitionSite site) {
        return site == null ? List.of() : List.of(site.getStackTrace());
    }
}
