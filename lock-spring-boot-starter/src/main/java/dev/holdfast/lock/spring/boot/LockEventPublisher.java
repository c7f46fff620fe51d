package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to locks as application events: an {@code @EventListener} takes the {@link LockEvent} that it wants, or all of
 * them. It runs on the client's own thread for listeners, so what it throws is logged, while it blocks later events wait, and neither costs a
 * lock.
 */
public final class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher events;

    /**
     * Creates the listener.
     *
     * @param events where the events go
     */
    public LockEventPublisher(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void onEvent(LockEvent event) {
        events.publishEvent(event);
    }
}
