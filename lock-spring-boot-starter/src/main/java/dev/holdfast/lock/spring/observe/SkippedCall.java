package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.call.ReleaseTimer;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs a call that returns without having run its method. The line of a busy lock names the holder, for which Redis is asked behind the skip: a call
 * that skips neither waits for the answer nor fails without it.
 */
record SkippedCall(LockCall call) implements AroundLock, Runnable {

    private static final Log LOG = LogFactory.getLog(SkippedCall.class);

    /** How many holders may be unknown at a time. The lines of further calls do not name theirs. */
    private static final int MOST_PENDING = 16;

    /** How many names of one call are asked for. */
    private static final int MOST_NAMES = 20;

    private static final ThreadPoolExecutor THREAD = new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_PENDING),
            task -> ReleaseTimer.daemon(task, "holdfast-skips"));

    static {
        THREAD.allowCoreThreadTimeOut(true);
    }

    static @Nullable AroundOperation of(LockOperation operation) {
        Boolean logs = operation.ofFeatures().find(SkipLogSettings.class, SkipLogSettings::logSkips, null);
        return Boolean.TRUE.equals(logs) ? SkippedCall::new : null;
    }

    /** Logs the call, unless it throws the refusal or runs without the lock. */
    @Override
    public void refused(Refusal refusal) {
        boolean answered = refusal.reason() instanceof LockNotAcquiredException
                && call.operation().fallback() != null;
        if (!LOG.isInfoEnabled() || !(answered || refusal.skips())) {
            return;
        }
        if (!refusal.isBusy()) {
            write(String.valueOf(refusal.reason().getMessage()));
            return;
        }
        try {
            THREAD.execute(this);
        } catch (RejectedExecutionException manyCallsSkip) {
            write(null);
        }
    }

    @Override
    public void run() {
        write(holder());
    }

    /** Returns the text that names the holder; null if it is unknown. */
    private @Nullable String holder() {
        try {
            return call.names().stream()
                    .limit(MOST_NAMES)
                    .map(call.client()::inspect)
                    .flatMap(Optional::stream)
                    .findFirst()
                    .map(SkippedCall::heldBy)
                    .orElse(null);
        } catch (RuntimeException notAnswered) {
            return null;
        }
    }

    private static String heldBy(LockState state) {
        Holder holder = state.holder();
        String name = holder.clientName() == null ? holder.owner() : holder.clientName();
        return lock(state.lockName()) + " is held by '" + LogText.escape(name) + "'"
                + (holder.since() == null ? "" : " since " + holder.since())
                + (state.holderCount() == 1 ? "" : " and " + (state.holderCount() - 1) + " more");
    }

    private void write(@Nullable String why) {
        LOG.info("Skipped " + call.operation().signature() + ": "
                + (why == null ? lock(call.names().get(0)) + " was busy" : why));
    }

    private static String lock(String name) {
        return "lock '" + LogText.escape(name) + "'";
    }
}
