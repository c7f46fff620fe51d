package dev.holdfast.lock.spring.call;

import org.apache.commons.logging.Log;
import org.springframework.context.ApplicationEventPublisher;

/** The event of a change that is made. */
public final class Announcement {

    private Announcement() {}

    /**
     * Publishes the event. A listener's failure must not fail the call that has made the change.
     *
     * @param log gets the failure
     */
    public static void publish(ApplicationEventPublisher events, Object event, Log log) {
        try {
            events.publishEvent(event);
        } catch (RuntimeException e) {
            log.warn("A listener of " + event.getClass().getSimpleName() + " failed", e);
        }
    }
}
