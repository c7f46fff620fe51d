package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLoss;
import java.time.Duration;
import java.util.Map;

/**
 * Follows the calls of annotated methods, lock by lock. A bean of this type is found by itself. What it throws is logged and never costs a
 * lock; it should be quick, since calls wait for it.
 */
@FunctionalInterface
public interface LockCallListener {

    /**
     * A call is about to ask for a lock.
     *
     * @param call the call and the lock
     * @return told of what becomes of it
     */
    Progress onCall(LockCall call);

    /**
     * What becomes of one lock of one call: first one of {@link #onAcquired}, {@link #onBusy}, {@link #onUnavailable} and {@link #onFailed};
     * after {@link #onAcquired} at last {@link #onReleased}, and between them perhaps {@link #onLost}, which may come on another thread.
     */
    interface Progress {

        /** Nobody listens. */
        Progress NONE = new Progress() {};

        /**
         * The call has the lock.
         *
         * @param waited how long it asked
         * @param fencingToken the lease's token
         */
        default void onAcquired(Duration waited, long fencingToken) {}

        /**
         * The calling thread goes into the body, with the lock.
         *
         * @return closed by the same thread when it comes out
         */
        default Inside enterBody() {
            return Inside.NOTHING;
        }

        /**
         * Where the body is published, it runs on threads that nobody knows beforehand. This is what stands in its Reactor context besides.
         *
         * @return entries of a Reactor context
         */
        default Map<Object, Object> carry() {
            return Map.of();
        }

        /**
         * Somebody else had the lock to the end of the wait.
         *
         * @param waited how long it asked
         * @param skipped whether the body is left out; otherwise the call fails, or a handler answers it
         */
        default void onBusy(Duration waited, boolean skipped) {}

        /**
         * Redis could not be asked.
         *
         * @param waited how long it asked
         * @param proceeds whether the body runs without the lock
         */
        default void onUnavailable(Duration waited, boolean proceeds) {}

        /**
         * The call gave up for another reason: interrupted, cancelled, refused.
         *
         * @param waited how long it asked
         * @param failure why
         */
        default void onFailed(Duration waited, Throwable failure) {}

        /**
         * The lease ended before the body did.
         *
         * @param loss what was lost, and why
         */
        default void onLost(LeaseLoss loss) {}

        /**
         * The body is done with the lock.
         *
         * @param held for how long the call had it
         */
        default void onReleased(Duration held) {}
    }

    /** While a thread is inside the body. */
    @FunctionalInterface
    interface Inside extends AutoCloseable {

        /** Does nothing. */
        Inside NOTHING = () -> {};

        @Override
        void close();
    }
}
