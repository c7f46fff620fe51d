package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to locks as application events: an {@code @EventListener} takes the {@link LockEvent} that it wants, or all of
 * them. The event listener runs on the client's own thread for listeners: what it throws is logged, later events wait while it blocks, and neither costs a
 * lock. An application that publishes events differently, or not at all, defines a bean of a subclass.
 */
public class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher events;

    /** Creates the listener that publishes to a context. */
    public LockEventPublisher(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void onEvent(LockEvent event) {
        events.publishEvent(event);
    }
}
