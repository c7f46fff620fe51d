package dev.holdfast.lock.sample.fleet;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** People who order: now and then one of them asks an instance for something, so that there is something to see. */
final class Customers implements AutoCloseable {

    private static final List<String> WISHES = List.of(
            "POST /orders/%d/payment",
            "POST /orders/%d/payment",
            "POST /orders/%d/parcel",
            "POST /orders/%d/parcel",
            "POST /orders/%d/invoice",
            "POST /orders/%d/courier",
            "GET /prices/lamps",
            "GET /prices/lamps",
            "GET /prices/chairs",
            "POST /prices/lamps?price=%d",
            "POST /stock/lamps/count?time=1s");

    private final HttpClient http;
    private final List<Instance> instances;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "customers");
        thread.setDaemon(true);
        return thread;
    });

    Customers(HttpClient http, List<Instance> instances) {
        this.http = http;
        this.instances = instances;
    }

    void come(Duration every) {
        clock.scheduleWithFixedDelay(this::ask, 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void ask() {
        Instance instance = any(instances);
        if (instance.state() == Instance.State.RUNNING) {
            String[] wish = any(WISHES)
                    .formatted(ThreadLocalRandom.current().nextInt(1, 4))
                    .split(" ", 2);
            HttpRequest request = HttpRequest.newBuilder(URI.create(instance.url() + wish[1]))
                    .method(wish[0], HttpRequest.BodyPublishers.noBody())
                    .timeout(Duration.ofSeconds(40))
                    .build();
            // Nobody looks at the answer: an instance may be killed while it works.
            http.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        }
    }

    private static <T> T any(List<T> choice) {
        return choice.get(ThreadLocalRandom.current().nextInt(choice.size()));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
