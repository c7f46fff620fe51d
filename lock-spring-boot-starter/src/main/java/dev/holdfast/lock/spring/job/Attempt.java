package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.AroundLock.RunEnd;
import dev.holdfast.lock.spring.job.Once.Claim;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One attempt of a call to run a method. An advice outside of the lock, such as that of {@code @Retryable}, repeats a call that has failed. Spring gives
 * all attempts the same map of attributes, whatever their threads. All subscriptions to one publisher share a map, too.
 */
final class Attempt {

    private static final String ATTRIBUTE = Attempt.class.getName();

    private final Claim claim;
    private final long begunNanos;
    private volatile boolean failed;

    private Attempt(Claim claim, long begunNanos) {
        this.claim = claim;
        this.begunNanos = begunNanos;
    }

    /** Returns the attempt before, if it has failed; else null. */
    static @Nullable Attempt failedBefore(LockCall call) {
        Attempt last = last(call.proxied(), null);
        return last != null && last.failed ? last : null;
    }

    /** Notes an attempt that begins. If it repeats a run, the run has begun with its first attempt. */
    static Attempt begin(LockCall call, Claim claim, @Nullable Attempt before) {
        Attempt begun = new Attempt(
                claim,
                before != null && Objects.equals(before.claim.run(), claim.run())
                        ? before.begunNanos
                        : System.nanoTime());
        last(call.proxied(), begun);
        return begun;
    }

    /** Returns the last attempt, and replaces it unless the next one is null. Subscribers may come on several threads, which the map is not made for. */
    private static @Nullable Attempt last(@Nullable ProxyMethodInvocation proxied, @Nullable Attempt next) {
        if (proxied == null) {
            return null;
        }
        synchronized (ATTRIBUTE) {
            Attempt last = (Attempt) proxied.getUserAttribute(ATTRIBUTE);
            if (next != null) {
                proxied.setUserAttribute(ATTRIBUTE, next);
            }
            return last;
        }
    }

    Claim claim() {
        return claim;
    }

    void fail() {
        failed = true;
    }

    /** Returns how the run has ended if this attempt is its last one. */
    RunEnd end(RunEnd attempt) {
        Duration took = attempt.took() == null ? null : Duration.ofNanos(System.nanoTime() - begunNanos);
        return new RunEnd(took, attempt.failed(), attempt.thrown());
    }
}
