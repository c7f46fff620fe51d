package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** All listeners as one that never throws. */
final class LockCallListeners {

    private static final Log LOG = LogFactory.getLog(LockCallListener.class);

    private final Supplier<List<LockCallListener>> found;
    private volatile @Nullable List<LockCallListener> known;

    LockCallListeners(Supplier<List<LockCallListener>> found) {
        this.found = found;
    }

    Progress begin(LockRequest request) {
        List<LockCallListener> listeners = listeners();
        if (listeners.isEmpty()) {
            return Progress.NONE;
        }
        LockOperation operation = request.operation();
        LockCall call = new LockCall(operation.method(), operation.name(), request.names(), operation.kind());
        List<Progress> all = new ArrayList<>(listeners.size());
        for (LockCallListener listener : listeners) {
            guarded(() -> all.add(listener.onCall(call)));
        }
        return new Guarded(all);
    }

    /** Looked up at the first call: the interceptor is made before most beans are. */
    private List<LockCallListener> listeners() {
        List<LockCallListener> listeners = known;
        if (listeners == null) {
            listeners = List.copyOf(found.get());
            known = listeners;
        }
        return listeners;
    }

    /** The time for a listener's sake: where nobody listens the clock is not asked. */
    static long now(Progress progress) {
        return progress == Progress.NONE ? 0 : System.nanoTime();
    }

    private static void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("A listener of lock calls failed", e);
        }
    }

    private record Guarded(List<Progress> all) implements Progress {

        private void tell(Consumer<Progress> event) {
            for (Progress one : all) {
                guarded(() -> event.accept(one));
            }
        }

        @Override
        public void onAcquired(Duration waited, boolean reentered) {
            tell(one -> one.onAcquired(waited, reentered));
        }

        @Override
        public void onBusy(Duration waited, boolean skipped) {
            tell(one -> one.onBusy(waited, skipped));
        }

        @Override
        public void onUnavailable(Duration waited, boolean proceeds) {
            tell(one -> one.onUnavailable(waited, proceeds));
        }

        @Override
        public void onFailed(Duration waited, Throwable failure) {
            tell(one -> one.onFailed(waited, failure));
        }

        @Override
        public void onLost(LeaseLoss loss) {
            tell(one -> one.onLost(loss));
        }

        @Override
        public void onReleased(Duration held) {
            tell(one -> one.onReleased(held));
        }
    }
}
