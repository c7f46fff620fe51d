package dev.holdfast.lock.sample.fleet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** Makes an instance stand still in the middle of its work for longer than its lease lasts. */
final class Trouble {

    static final String LOCK = "stock:lamps";

    private final HttpClient http;
    private final List<Instance> instances;

    Trouble(HttpClient http, List<Instance> instances) {
        this.http = http;
        this.instances = instances;
    }

    /**
     * Lets the instance count the lamps, stops it in the middle of that, has another instance count them meanwhile, and lets the first go on: it
     * knows of nothing and writes what it counted. The other's count can only begin when the lease is over.
     */
    void pausePastItsLease(Instance instance) throws IOException, InterruptedException {
        Instance other = instances.stream()
                .filter(each -> each != instance && each.state() == Instance.State.RUNNING)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No other instance runs that could take over"));
        try (EventFeed feed = EventFeed.open(http, instance.name(), instance.url())) {
            long asked = System.currentTimeMillis();
            http.sendAsync(count(instance, "5s"), HttpResponse.BodyHandlers.discarding());
            if (!feed.await(event -> event.is("acquired", LOCK) && event.at() >= asked, Duration.ofSeconds(20))) {
                throw new IllegalStateException(instance.name() + " did not get the lock in time");
            }
            instance.pause();
        }
        try {
            http.send(count(other, "500ms"), HttpResponse.BodyHandlers.discarding());
        } finally {
            instance.resume();
        }
    }

    private static HttpRequest count(Instance instance, String time) {
        return HttpRequest.newBuilder(URI.create(instance.url() + "/stock/lamps/count?time=" + time))
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(40))
                .build();
    }
}
