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

/** Sends requests to random instances, so often that the locks are contended for. */
final class Customers implements AutoCloseable {

    private static final List<String> WISHES = List.of(
            "POST /orders/1/payment",
            "POST /orders/1/payment",
            "POST /orders/1/payment",
            "POST /orders/1/parcel",
            "POST /orders/1/parcel",
            "POST /orders/1/parcel",
            "POST /orders/1/courier",
            "POST /orders/1/courier",
            "GET /prices/lamps",
            "GET /prices/lamps",
            "GET /prices/chairs",
            "POST /prices/lamps?price=19.90",
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
            String[] wish = any(WISHES).split(" ", 2);
            HttpRequest request = HttpRequest.newBuilder(URI.create(instance.url() + wish[1]))
                    .method(wish[0], HttpRequest.BodyPublishers.noBody())
                    .timeout(Duration.ofSeconds(40))
                    .build();
            // The answer does not matter: an instance may be killed while it works.
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
