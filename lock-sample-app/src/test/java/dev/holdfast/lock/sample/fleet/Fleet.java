package dev.holdfast.lock.sample.fleet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * Starts three instances of the shop beside each other, customers, and the desk that the page's buttons go to; ends all of it when this process
 * ends.
 *
 * <p>{@code ./mvnw -pl lock-sample-app -am spring-boot:test-run} runs it. Arguments go to the instances as they are:
 * {@code -Dspring-boot.run.arguments=--spring.data.redis.host=…} takes that Redis instead of an embedded one.
 */
public final class Fleet implements AutoCloseable {

    private static final List<String> NAMES = List.of("alpha", "bravo", "charlie");

    /** A watchdog timeout short enough to watch. In production its default, 30 s, is the better choice. */
    private static final String WATCHDOG = "--holdfast.watchdog-timeout=4s";

    /** Ctrl-C reaches the embedded Redis too, and whoever waits for a lock then waits for Redis: that must not hold up the end. */
    private static final List<String> SHORT_GOODBYE =
            List.of("--spring.lifecycle.timeout-per-shutdown-phase=2s", "--holdfast.shutdown-grace=2s");

    private static final Duration START = Duration.ofMinutes(2);

    private final Path folder = Files.createTempDirectory("holdfast-shop-");
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Instance> instances = new ArrayList<>();
    private final Backing backing;
    private final ControlDesk desk;
    private final Customers customers;

    private Fleet(String[] args, int firstPort) throws IOException, SQLException {
        this.backing = Backing.of(args, folder);
        List<Integer> ports = freePorts(firstPort, NAMES.size() + 1);
        int control = ports.get(NAMES.size());
        List<String> arguments = new ArrayList<>(backing.arguments());
        arguments.add("--shop.control=http://127.0.0.1:" + control);
        arguments.add(WATCHDOG);
        arguments.addAll(SHORT_GOODBYE);
        for (int i = 0; i < NAMES.size(); i++) {
            arguments.add("--shop.fleet[" + i + "].name=" + NAMES.get(i));
            arguments.add("--shop.fleet[" + i + "].url=http://127.0.0.1:" + ports.get(i));
        }
        arguments.addAll(List.of(args));
        for (int i = 0; i < NAMES.size(); i++) {
            instances.add(new Instance(NAMES.get(i), ports.get(i), folder, arguments));
        }
        this.desk = new ControlDesk(control, instances, backing, new Trouble(http, instances));
        this.customers = new Customers(http, instances);
    }

    /**
     * Starts the fleet and stays until it is ended.
     *
     * @param args for the instances
     * @throws Exception if something does not start
     */
    public static void main(String[] args) throws Exception {
        Fleet fleet = new Fleet(args, Integer.getInteger("fleet.port", 8080));
        Runtime.getRuntime().addShutdownHook(new Thread(fleet::close, "end of the fleet"));
        try {
            fleet.start();
        } catch (IllegalStateException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        new CountDownLatch(1).await();
    }

    private void start() throws InterruptedException {
        System.out.println("Starting " + NAMES.size() + " instances on " + backing.describe() + " …");
        instances.forEach(Instance::start);
        for (Instance each : instances) {
            awaitAnswer(each);
        }
        customers.come(Duration.ofMillis(350));
        System.out.println();
        System.out.println("  Look here:  " + instances.get(0).url());
        for (Instance each : instances) {
            System.out.println("  " + each.name() + "  " + each.url() + "  log: " + each.log());
        }
        System.out.println("  Ctrl-C ends all of it.");
        System.out.println();
    }

    private void awaitAnswer(Instance instance) throws InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        while (!answers(instance)) {
            if (instance.state() == Instance.State.GONE || System.nanoTime() > end) {
                throw new IllegalStateException(instance.name() + " did not start:\n" + lastLines(instance.log()));
            }
            Thread.sleep(100); // Another process tells nobody when it is up.
        }
    }

    private boolean answers(Instance instance) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(instance.url() + "/fleet"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static String lastLines(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    private static List<Integer> freePorts(int first, int count) {
        List<Integer> free = new ArrayList<>();
        for (int port = first; free.size() < count; port++) {
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                free.add(probe.getLocalPort());
            } catch (IOException taken) {
                // The next one, then.
            }
        }
        return free;
    }

    /** The instances first, all at once: they give back their locks while there is a Redis. */
    @Override
    public void close() {
        customers.close();
        instances.forEach(Instance::terminate);
        instances.forEach(Instance::awaitEnd);
        desk.close();
        backing.close();
        delete(folder);
    }

    private static void delete(Path folder) {
        try (Stream<Path> content = Files.walk(folder)) {
            for (Path each : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            System.err.println("Could not delete " + folder + ": " + e);
        }
    }
}
