package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Inside;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** All listeners as one that never throws, and that tells of a loss once, before it tells of the release. */
final class LockCallListeners {

    private static final Log LOG = LogFactory.getLog(LockCallListener.class);

    private final Supplier<List<LockCallListener>> found;
    private final Set<Class<?>> failing = ConcurrentHashMap.newKeySet();
    private volatile @Nullable List<LockCallListener> known;

    LockCallListeners(Supplier<List<LockCallListener>> found) {
        this.found = found;
    }

    /**
     * A call is about to ask for a lock.
     *
     * @param reentered whether a surrounding call has it already
     * @param carried what the subscriber's Reactor context holds
     */
    Progress begin(LockRequest request, boolean reentered, Map<Object, Object> carried) {
        List<LockCallListener> listeners = listeners();
        if (listeners.isEmpty()) {
            return Progress.NONE;
        }
        LockOperation operation = request.operation();
        LockCall call = new LockCall(
                operation.method(), operation.name(), request.names(), operation.kind(), reentered, carried);
        List<Progress> all = new ArrayList<>(listeners.size());
        for (LockCallListener listener : listeners) {
            guarded(listener, () -> all.add(listener.onCall(call)));
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

    /** A listener that fails at every call is not worth a line for each. */
    private void guarded(Object listener, Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            if (failing.add(listener.getClass())) {
                LOG.warn(
                        listener.getClass().getName()
                                + ", which listens to lock calls, failed. Its further failures are logged at DEBUG",
                        e);
            } else {
                LOG.debug(listener.getClass().getName() + " failed again", e);
            }
        }
    }

    private final class Guarded implements Progress {

        private final List<Progress> all;
        private boolean lost;
        private boolean released;

        Guarded(List<Progress> all) {
            this.all = all;
        }

        private void tell(Consumer<Progress> event) {
            for (Progress one : all) {
                guarded(one, () -> event.accept(one));
            }
        }

        @Override
        public void onAcquired(Duration waited, long fencingToken) {
            tell(one -> one.onAcquired(waited, fencingToken));
        }

        @Override
        public Inside enterBody() {
            List<Inside> entered = new ArrayList<>(all.size());
            tell(one -> entered.add(one.enterBody()));
            return () -> {
                for (int i = entered.size() - 1; i >= 0; i--) {
                    guarded(entered.get(i), entered.get(i)::close);
                }
            };
        }

        @Override
        public Map<Object, Object> carry() {
            Map<Object, Object> carried = new HashMap<>();
            tell(one -> carried.putAll(one.carry()));
            return carried;
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
        public synchronized void onLost(LeaseLoss loss) {
            if (!lost && !released) {
                lost = true;
                tell(one -> one.onLost(loss));
            }
        }

        @Override
        public synchronized void onReleased(Duration held) {
            released = true;
            tell(one -> one.onReleased(held));
        }
    }
}
