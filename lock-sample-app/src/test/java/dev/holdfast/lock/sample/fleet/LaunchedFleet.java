package dev.holdfast.lock.sample.fleet;

import dev.holdfast.lock.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The fleet as the README's command starts it: a process of its own, which tells where to look. */
final class LaunchedFleet implements AutoCloseable {

    private static final Pattern INSTANCE = Pattern.compile(" {2}(\\w+) {2}(http://\\S+) {2}log: (.+)");

    private static final Pattern REDIS = Pattern.compile("Redis at 127\\.0\\.0\\.1:(\\d+)");

    private final Process launcher;
    private final Map<String, String> urls = new LinkedHashMap<>();
    private final Map<String, EventFeed> feeds = new LinkedHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private String page = "";
    private int redisPort;
    private Path folder = Path.of("");

    private LaunchedFleet(Process launcher) throws IOException, InterruptedException {
        this.launcher = launcher;
        readUntilStarted(launcher.inputReader());
        for (Map.Entry<String, String> each : urls.entrySet()) {
            feeds.put(each.getKey(), EventFeed.open(http, each.getKey(), each.getValue()));
        }
    }

    /**
     * Starts a fleet.
     *
     * @param firstPort where to begin the search for free ports; another one for each test that runs at the same time
     */
    static LaunchedFleet start(int firstPort) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (succeeds("setsid", "true")) {
            // A group of its own, as a terminal gives it: Ctrl-C must not reach the tests.
            command.add("setsid");
        }
        if (succeeds("env", "--default-signal=INT", "true")) {
            // A build in the background ignores SIGINT, and so would its children.
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.addAll(command("-Dfleet.port=" + firstPort));
        Process launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            return new LaunchedFleet(launcher);
        } catch (IOException | RuntimeException e) {
            launcher.destroy();
            throw e;
        }
    }

    /** The launcher's command line. Like the instances, it is a small JVM that starts fast. */
    static List<String> command(String... properties) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(properties));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Fleet.class.getName()));
        return command;
    }

    static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException notHere) {
            return false;
        }
    }

    private void readUntilStarted(BufferedReader output) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            all.append(line).append('\n');
            Matcher redis = REDIS.matcher(line);
            if (redis.find()) {
                redisPort = Integer.parseInt(redis.group(1));
            }
            if (line.startsWith("  Look here:")) {
                page = line.substring("  Look here:".length()).strip();
            }
            Matcher instance = INSTANCE.matcher(line);
            if (instance.matches()) {
                urls.put(instance.group(1), instance.group(2));
                folder = Path.of(instance.group(3)).getParent();
            }
            if (line.contains("Ctrl-C")) {
                return;
            }
        }
        throw new IllegalStateException("The fleet did not start:\n" + all);
    }

    /** Where the page is. */
    String page() {
        return page;
    }

    /** Sends a command to Redis without the knowledge of any instance. */
    void redis(String command) throws IOException {
        try (Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort)) {
            redis.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            redis.getInputStream().read();
        }
    }

    /** The raw head of the answer to a GET that names that host. */
    String answerTo(String server, String host) throws IOException {
        URI address = URI.create(server);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readNBytes(2_000), StandardCharsets.UTF_8);
        }
    }

    String url(String instance) {
        return urls.get(instance);
    }

    Map<String, EventFeed> feeds() {
        return feeds;
    }

    /** What all instances told of one lock. */
    List<EventFeed.Event> heard(String type, String lock) {
        return feeds.values().stream()
                .flatMap(feed -> feed.events(type, lock).stream())
                .toList();
    }

    Path folder() {
        return folder;
    }

    String get(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    int post(String url, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    void postLater(String url) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        http.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    }

    String control(String path) {
        return page + path;
    }

    /** The launcher's children, and theirs. */
    List<ProcessHandle> children() {
        try (Stream<ProcessHandle> children = launcher.descendants()) {
            return children.toList();
        }
    }

    /** All of them, the launcher included. */
    List<ProcessHandle> processes() {
        return Stream.concat(Stream.of(launcher.toHandle()), children().stream())
                .toList();
    }

    /** What a terminal does: SIGINT to the launcher's whole group. */
    boolean pressCtrlC() throws IOException, InterruptedException {
        String group = succeeds("setsid", "true") ? "-" + launcher.pid() : Long.toString(launcher.pid());
        new ProcessBuilder("kill", "-INT", "--", group).start().waitFor();
        return launcher.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    boolean leftFiles() {
        return Files.exists(folder);
    }

    @Override
    public void close() {
        feeds.values().forEach(EventFeed::close);
        launcher.destroy();
    }
}
