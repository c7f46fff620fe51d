package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.job.Once.Claim;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * An attempt of a call. An advice outside of the lock, such as that of {@code @Retryable}, may repeat the call when the attempt has failed. Spring gives
 * all attempts one map of attributes, on whatever threads they run. One publisher is one call for all its subscribers, too.
 */
final class Attempt {

    private static final String ATTRIBUTE = Attempt.class.getName();

    private final Claim claim;
    private volatile boolean failed;

    private Attempt(Claim claim) {
        this.claim = claim;
    }

    /** Returns the last attempt of the call; null if this is the first one. */
    static @Nullable Attempt before(LockCall call) {
        ProxyMethodInvocation proxied = call.proxied();
        if (proxied == null) {
            return null;
        }
        // Subscribers may come on several threads, and the map is none for threads.
        synchronized (ATTRIBUTE) {
            return (Attempt) proxied.getUserAttribute(ATTRIBUTE);
        }
    }

    /** Notes an attempt that begins to run the method. */
    static Attempt begun(LockCall call, Claim claim) {
        Attempt begun = new Attempt(claim);
        ProxyMethodInvocation proxied = call.proxied();
        if (proxied != null) {
            synchronized (ATTRIBUTE) {
                proxied.setUserAttribute(ATTRIBUTE, begun);
            }
        }
        return begun;
    }

    void fail() {
        failed = true;
    }

    boolean failed() {
        return failed;
    }

    Claim claim() {
        return claim;
    }
}
