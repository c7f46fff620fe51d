package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.sample.ShopSettings;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** What the page asks for: who the instances are, and this one's events. */
@RestController
class LiveController {

    private final ShopSettings settings;
    private final LiveEvents events;

    LiveController(ShopSettings settings, LiveEvents events) {
        this.settings = settings;
        this.events = events;
    }

    @GetMapping("/fleet")
    Fleet fleet() {
        return new Fleet(settings.instance(), settings.fleet(), settings.control());
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<Object>> events() {
        return events.stream();
    }

    /**
     * The instances the page shows.
     *
     * @param instance the one that answers
     * @param instances all of them, none where this one runs alone
     * @param control where buttons go that stop and start processes
     */
    record Fleet(
            String instance,
            List<ShopSettings.Member> instances,
            @Nullable URI control) {}
}
