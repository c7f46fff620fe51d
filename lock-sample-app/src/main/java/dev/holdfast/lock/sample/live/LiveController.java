package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.sample.ShopSettings;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** Provides the page's data: the instances, the locks to show, and this instance's events. */
@RestController
class LiveController {

    /** The locks that the page shows, one in each row. */
    private static final List<Row> ROWS = List.of(
            new Row("order:1", "one payment of an order at a time", false),
            new Row("packing", "fair: first come, first served", false),
            new Row("courier", "held until a Mono completes", false),
            new Row("price-list", "many readers or one writer", false),
            new Row("stock:lamps", "fenced: a stale write is refused", false),
            new Row("stock-report", "@Scheduled: one instance runs each tick", true));

    private final ShopSettings settings;
    private final LiveEvents events;
    private final Grants grants;
    private final long leaseMillis;

    LiveController(
            ShopSettings settings,
            LiveEvents events,
            Grants grants,
            @Value("${holdfast.watchdog-timeout:30s}") java.time.Duration lease) {
        this.settings = settings;
        this.events = events;
        this.grants = grants;
        this.leaseMillis = lease.toMillis();
    }

    @GetMapping("/fleet")
    Fleet fleet() {
        return new Fleet(settings.instance(), settings.fleet(), settings.control(), leaseMillis, ROWS);
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<Object>> events() {
        List<Grants.Tokens> tokens =
                ROWS.stream().map(row -> grants.of(row.lock())).toList();
        return events.stream()
                .startWith(
                        ServerSentEvent.<Object>builder(tokens).event("tokens").build());
    }

    /**
     * The content of the page.
     *
     * @param instance the instance that answers
     * @param instances all instances; empty if this one runs alone
     * @param control the launcher, which starts and stops processes
     * @param leaseMillis the lease of a renewed lock
     * @param rows the locks
     */
    record Fleet(
            String instance,
            List<ShopSettings.Member> instances,
            @Nullable URI control,
            long leaseMillis,
            List<Row> rows) {}

    /**
     * One lock on the page.
     *
     * @param lock its name
     * @param what a description of what it protects
     * @param brief whether its holds are so short that the page marks them with a letter
     */
    record Row(String lock, String what, boolean brief) {}
}
