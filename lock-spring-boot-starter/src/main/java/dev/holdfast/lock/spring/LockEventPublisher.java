package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes lock events as application events. An {@code @EventListener} receives the subtype of {@link LockEvent} that it declares, or all of them.
 * It runs on the client's thread for listeners. An exception from it is logged, and later events wait while it blocks, but neither costs a lock. To
 * publish events differently, or not at all, define a bean of a subclass.
 */
public class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher events;

    /** Creates the listener that publishes to the given publisher. */
    public LockEventPublisher(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void onEvent(LockEvent event) {
        events.publishEvent(event);
    }
}
