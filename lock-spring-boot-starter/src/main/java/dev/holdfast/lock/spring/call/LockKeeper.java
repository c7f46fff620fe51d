package dev.holdfast.lock.spring.call;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps locks for longer than the call that acquired them, as a transaction does. A context is Reactor's of a subscriber; null in a call that blocks. */
public interface LockKeeper {

    /** Keeps the lock, if there is a reason. The method is about to run. */
    void keep(AcquiredLock lock, @Nullable Object context);

    /** Returns what is kept for the calls of a subscriber. For a call that blocks, its thread knows. */
    List<SharedLease> kept(Object context);
}
