package dev.holdfast.lock.sample.live;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Passes events on to those who listen now. A listener that does not keep up misses the oldest ones and holds up nobody. */
@Component
class LiveEvents {

    private static final int BACKLOG = 1_000;

    private final Sinks.Many<ServerSentEvent<Object>> sink =
            Sinks.many().multicast().directBestEffort();

    Flux<ServerSentEvent<Object>> stream() {
        return sink.asFlux().onBackpressureBuffer(BACKLOG, BufferOverflowStrategy.DROP_OLDEST);
    }

    /** One at a time: a sink refuses what comes from two threads at once. */
    synchronized void send(String type, Object data) {
        sink.tryEmitNext(ServerSentEvent.builder(data).event(type).build());
    }

    /** An open stream is a request, and a graceful shutdown waits for requests. */
    @EventListener(ContextClosedEvent.class)
    synchronized void end() {
        sink.tryEmitComplete();
    }
}
