package dev.holdfast.lock.sample.live;

import java.time.Clock;
import java.time.Duration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Passes events on to the current listeners, and those of the last minute to a new one. A listener that is too slow misses the oldest events and does
 * not delay the others.
 */
@Component
class LiveEvents {

    private static final int BACKLOG = 1_000;

    private static final Duration KEPT = Duration.ofMinutes(1);

    private final Sinks.Many<ServerSentEvent<Object>> sink =
            Sinks.many().replay().limit(BACKLOG, KEPT);

    private final long started = Clock.systemUTC().millis();
    private long sent;

    Flux<ServerSentEvent<Object>> stream() {
        return sink.asFlux().onBackpressureBuffer(BACKLOG, BufferOverflowStrategy.DROP_OLDEST);
    }

    /** Sends an event. Synchronized, because a sink refuses events that two threads send at once. Its id tells a listener what it has heard before. */
    synchronized void send(String type, Object data) {
        sent++;
        sink.tryEmitNext(ServerSentEvent.builder(data)
                .event(type)
                .id(started + "-" + sent)
                .build());
    }

    /** Ends all streams. An open stream is a request, and a graceful shutdown would wait for it. */
    @EventListener(ContextClosedEvent.class)
    synchronized void end() {
        sink.tryEmitComplete();
    }
}
