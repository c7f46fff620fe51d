package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockForceReleased;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Releases locks by force, and records who did it: a line in the log and an application event. */
final class ForceReleases {

    private static final Log LOG = LogFactory.getLog(ForceReleases.class);

    private final LockClient client;
    private final ApplicationEventPublisher events;

    ForceReleases(LockClient client, ApplicationEventPublisher events) {
        this.client = client;
        this.events = events;
    }

    /** Returns whether the lock was held. */
    boolean release(String lockName, @Nullable String principal) {
        LockState before = client.inspect(lockName).orElse(null);
        String who = principal == null ? "an unauthenticated caller" : "'" + LogText.escape(principal) + "'";
        boolean released;
        try {
            released = client.forceRelease(lockName);
        } catch (LockUnavailableException e) {
            // Redis may have released it, and the holder will ask who it was.
            LOG.warn("A forced release of lock '" + LogText.escape(lockName) + "' by " + who
                    + " was not answered by Redis: the lock may be free now; it was held by " + holders(before));
            throw e;
        }
        if (released) {
            LOG.warn("Lock '" + LogText.escape(lockName) + "' was released by force by " + who + "; it was held by "
                    + holders(before));
            publish(new LockForceReleased(lockName, principal, before));
        } else {
            LOG.info("A forced release of lock '" + LogText.escape(lockName) + "' by " + who + " found the lock free");
        }
        return released;
    }

    private static String holders(@Nullable LockState state) {
        if (state == null) {
            return "nobody a moment before";
        }
        return state.holders().stream()
                .map(holder -> "'" + LogText.escape(holder.owner()) + "'"
                        + (holder.clientName() == null ? "" : " (" + LogText.escape(holder.clientName()) + ")"))
                .collect(Collectors.joining(", "));
    }

    /** The lock is free by now: a listener's failure does not fail the release. */
    private void publish(LockForceReleased event) {
        try {
            events.publishEvent(event);
        } catch (RuntimeException e) {
            LOG.warn("A listener of LockForceReleased failed", e);
        }
    }
}
