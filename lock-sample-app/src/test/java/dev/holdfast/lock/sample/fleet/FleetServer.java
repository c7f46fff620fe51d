package dev.holdfast.lock.sample.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page, so that it survives each instance, and the buttons that start and stop processes. Listens on the loopback interface only, and
 * answers only its own page: any page in the same browser could send a request here, but not with this origin.
 */
final class FleetServer implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    private final List<Instance> instances;
    private final Backing backing;
    private final Trouble trouble;
    private final HttpServer server;
    private final String policy;
    private volatile String fleet = "{}";

    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "fleet-server");
        thread.setDaemon(true);
        return thread;
    });

    FleetServer(int port, List<Instance> instances, Backing backing, Trouble trouble) throws IOException {
        this.instances = instances;
        this.backing = backing;
        this.trouble = trouble;
        this.policy = "default-src 'self'; connect-src 'self' "
                + instances.stream().map(Instance::url).collect(Collectors.joining(" ")) + "; frame-ancestors 'none'";
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** What an instance says of the fleet. All of them say the same. */
    void describe(String fleet) {
        this.fleet = fleet;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!isOurs(exchange)) {
                exchange.sendResponseHeaders(403, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Security-Policy", policy);
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            String path = exchange.getRequestURI().getPath();
            try {
                if (exchange.getRequestMethod().equals("POST")) {
                    boolean known = act(path);
                    answer(exchange, known ? 200 : 404, known ? state() : Map.of("error", "There is no " + path));
                } else if (path.equals("/state")) {
                    answer(exchange, 200, state());
                } else if (path.equals("/fleet")) {
                    answer(exchange, 200, "application/json", fleet.getBytes(StandardCharsets.UTF_8));
                } else {
                    answerFile(exchange, path.equals("/") ? "/index.html" : path);
                }
            } catch (IOException | IllegalStateException e) {
                answer(exchange, 409, Map.of("error", String.valueOf(e.getMessage())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The host is checked as well: somebody else's DNS name may point here. */
    private boolean isOurs(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        return url().equals("http://" + host) && (origin == null || origin.equals(url()));
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
        Instance instance = instances.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
        if (instance == null) {
            return false;
        }
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

    private Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("redis", backing.redisState());
        state.put(
                "instances",
                instances.stream()
                        .collect(Collectors.toMap(
                                Instance::name, each -> each.state().name().toLowerCase(Locale.ROOT))));
        return state;
    }

    /** Files of the page only: nothing else of the class path has one of these endings below {@code static}. */
    private static void answerFile(HttpExchange exchange, String path) throws IOException {
        @Nullable String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
        if (type == null || path.contains("..")) {
            answer(exchange, 404, Map.of("error", "There is no " + path));
            return;
        }
        try (InputStream file = FleetServer.class.getResourceAsStream("/static" + path)) {
            if (file == null) {
                answer(exchange, 404, Map.of("error", "There is no " + path));
            } else {
                answer(exchange, 200, type, file.readAllBytes());
            }
        }
    }

    private static void answer(HttpExchange exchange, int status, Object body) throws IOException {
        answer(
                exchange,
                status,
                "application/json",
                JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
