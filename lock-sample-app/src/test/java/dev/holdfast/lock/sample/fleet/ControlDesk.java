package dev.holdfast.lock.sample.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where the page's buttons go that stop and start processes. Listens on the loopback interface alone, and answers only pages of the fleet:
 * any page in the same browser could send a request here, but not with another's origin.
 */
final class ControlDesk implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<Instance> instances;
    private final Backing backing;
    private final Trouble trouble;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "control");
        thread.setDaemon(true);
        return thread;
    });

    ControlDesk(int port, List<Instance> instances, Backing backing, Trouble trouble) throws IOException {
        this.instances = instances;
        this.backing = backing;
        this.trouble = trouble;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String origin = exchange.getRequestHeaders().getFirst("Origin");
            if (!isOurs(exchange, origin)) {
                exchange.sendResponseHeaders(403, -1);
                return;
            }
            if (origin != null) {
                exchange.getResponseHeaders().set("Access-Control-Allow-Origin", origin);
                exchange.getResponseHeaders().set("Vary", "Origin");
            }
            String path = exchange.getRequestURI().getPath();
            try {
                boolean known = exchange.getRequestMethod().equals("POST") ? act(path) : path.equals("/state");
                answer(exchange, known ? 200 : 404, known ? state() : Map.of("error", "There is no " + path));
            } catch (IOException | IllegalStateException e) {
                answer(exchange, 409, Map.of("error", String.valueOf(e.getMessage())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The host is checked as well: a name of somebody else's may be made to point here. */
    private boolean isOurs(HttpExchange exchange, @Nullable String origin) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        boolean asked = ("127.0.0.1:" + server.getAddress().getPort()).equals(host);
        return asked
                && (origin == null
                        || instances.stream().anyMatch(each -> each.url().equals(origin)));
    }

    private boolean act(String path) throws IOException, InterruptedException {
        String[] parts = path.substring(1).split("/");
        if (path.equals("/redis/stop")) {
            backing.stopRedis();
        } else if (path.equals("/redis/start")) {
            backing.startRedis();
        } else if (parts.length == 3 && parts[0].equals("instances")) {
            return act(parts[1], parts[2]);
        } else {
            return false;
        }
        return true;
    }

    private boolean act(String name, String what) throws IOException, InterruptedException {
        for (Instance instance : instances) {
            if (instance.name().equals(name)) {
                switch (what) {
                    case "pause" -> trouble.pausePastItsLease(instance);
                    case "kill" -> instance.kill();
                    case "start" -> instance.start();
                    default -> {
                        return false;
                    }
                }
                return true;
            }
        }
        return false;
    }

    private Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("redis", backing.redisState());
        state.put(
                "instances",
                instances.stream()
                        .collect(Collectors.toMap(
                                Instance::name, each -> each.state().name().toLowerCase(java.util.Locale.ROOT))));
        return state;
    }

    private static void answer(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] text = JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, text.length);
        exchange.getResponseBody().write(text);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
