package dev.holdfast.check;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The losses of threads' holds, by their tokens. Only a listener is notified of these losses. A loss may be reported before its hold is known here.
 */
final class TokenLosses implements LockListener {

    private final Map<Long, LongConsumer> watchers = new ConcurrentHashMap<>();
    private final Map<Long, Long> early = new ConcurrentHashMap<>();

    @Override
    public void onLost(LeaseLoss loss) {
        long token = loss.fencingToken();
        long now = System.nanoTime();
        LongConsumer watcher = watchers.get(token);
        if (watcher != null) {
            watcher.accept(now);
        } else {
            early.put(token, now);
            deliver(token, watchers.get(token));
        }
    }

    void watch(long token, LongConsumer watcher) {
        watchers.put(token, watcher);
        deliver(token, watcher);
    }

    /** Forgets old tokens. This happens long after their release, when a second report of a loss would have arrived. */
    void forget(long token) {
        if (watchers.size() > 1_000) {
            watchers.keySet().removeIf(old -> old < token);
            early.clear();
        }
    }

    private void deliver(long token, @Nullable LongConsumer watcher) {
        if (watcher == null) {
            return;
        }
        Long at = early.remove(token);
        if (at != null) {
            watcher.accept(at);
        }
    }
}
