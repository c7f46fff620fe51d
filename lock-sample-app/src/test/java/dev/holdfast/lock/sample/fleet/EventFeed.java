package dev.holdfast.lock.sample.fleet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The server-sent events of one instance, read as the page reads them. */
final class EventFeed implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final Stream<String> lines;

    private EventFeed(String instance, Stream<String> lines) {
        this.lines = lines;
        Thread reader = new Thread(() -> read(instance, lines.iterator()), "feed of " + instance);
        reader.setDaemon(true);
        reader.start();
    }

    static EventFeed open(HttpClient http, String instance, String url) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "/events")).build();
        try {
            HttpResponse<Stream<String>> response = http.send(request, HttpResponse.BodyHandlers.ofLines());
            return new EventFeed(instance, response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    List<Event> events(String type, String lock) {
        return events.stream().filter(each -> each.is(type, lock)).toList();
    }

    /** Answers false if no such event came in time. */
    boolean await(Predicate<Event> wanted, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        synchronized (events) {
            while (events.stream().noneMatch(wanted)) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                events.wait(left);
            }
        }
        return true;
    }

    private void read(String instance, Iterator<String> text) {
        String type = "";
        try {
            while (text.hasNext()) {
                String line = text.next();
                if (line.startsWith("event:")) {
                    type = line.substring("event:".length()).strip();
                } else if (line.startsWith("data:")) {
                    add(new Event(instance, type, JSON.readTree(line.substring("data:".length()))));
                }
            }
        } catch (RuntimeException ended) {
            // The instance is gone or the feed was closed: what came before stays readable.
        }
    }

    private void add(Event event) {
        synchronized (events) {
            events.add(event);
            events.notifyAll();
        }
    }

    @Override
    public void close() {
        lines.close();
    }

    /** One event. */
    record Event(String instance, String type, JsonNode data) {

        boolean is(String wanted, String lock) {
            return type.equals(wanted) && lock.equals(data.path("lock").asString(""));
        }

        long token() {
            return Long.parseLong(data.path("token").asString("0"));
        }

        long at() {
            return data.path("at").asLong();
        }
    }
}
