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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts three instances of the shop, customers, and the page. Ends all of it when this process ends.
 *
 * <p>Arguments go to the instances: {@code -Dspring-boot.run.arguments=--spring.data.redis.host=…} uses that Redis instead of an embedded one.
 */
public final class Fleet implements AutoCloseable {

    private static final List<String> NAMES = List.of("alpha", "bravo", "charlie");

    /** A watchdog timeout short enough to watch. In production the default, 30 s, is the better choice. */
    private static final String WATCHDOG = "--holdfast.watchdog-timeout=4s";

    /** Ctrl-C reaches the embedded Redis too. Callers that then wait for Redis must not delay the end. */
    private static final List<String> SHORT_GOODBYE =
            List.of("--spring.lifecycle.timeout-per-shutdown-phase=2s", "--holdfast.shutdown-grace=2s");

    /** A machine that is busy with something else may need minutes. */
    private static final Duration START = Duration.ofMinutes(5);

    private final Workplace workplace = new Workplace();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Instance> instances = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Backing backing;
    private final FleetServer server;
    private final Customers customers;
    private final long begun = System.nanoTime();

    private Fleet(String[] args, int firstPort) throws IOException, SQLException {
        this.backing = Backing.of(args, workplace.folder());
        List<Integer> ports = freePorts(firstPort, NAMES.size() + 1);
        if (ports.get(0) != firstPort) {
            System.out.println("Port " + firstPort + " is taken, so the page is on port " + ports.get(0) + ".");
        }
        List<String> arguments = new ArrayList<>(backing.arguments());
        arguments.add("--shop.control=http://127.0.0.1:" + ports.get(0));
        arguments.add(WATCHDOG);
        arguments.addAll(SHORT_GOODBYE);
        for (int i = 0; i < NAMES.size(); i++) {
            arguments.add("--shop.fleet[" + i + "].name=" + NAMES.get(i));
            arguments.add("--shop.fleet[" + i + "].url=http://127.0.0.1:" + ports.get(i + 1));
        }
        arguments.addAll(List.of(args));
        for (int i = 0; i < NAMES.size(); i++) {
            instances.add(
                    new Instance(NAMES.get(i), ports.get(i + 1), workplace.folder(), arguments, backing.variables()));
        }
        this.server = new FleetServer(ports.get(0), instances, backing, new Trouble(http, instances));
        this.customers = new Customers(http, instances);
    }

    /**
     * Starts the fleet and runs until it is ended.
     *
     * @param args for the instances
     * @throws Exception if something does not start
     */
    public static void main(String[] args) throws Exception {
        endWithTheParent();
        Fleet fleet = new Fleet(args, Integer.getInteger("fleet.port", 8080));
        Runtime.getRuntime().addShutdownHook(new Thread(fleet::close, "end of the fleet"));
        if (!fleet.start()) {
            System.exit(1);
        }
        new CountDownLatch(1).await();
    }

    /** A build that is killed ends no children of its own. */
    private static void endWithTheParent() {
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> System.exit(1)));
    }

    private boolean start() throws InterruptedException {
        System.out.print("Starting " + NAMES.size() + " instances on " + backing.describe() + " ");
        System.out.flush();
        instances.forEach(Instance::start);
        long end = System.nanoTime() + START.toNanos();
        for (int beat = 0; !allRun(); beat++) {
            for (Instance each : instances) {
                if (each.state() == Instance.State.GONE || System.nanoTime() - end > 0) {
                    if (!closed.get()) {
                        explain(each);
                    }
                    return false;
                }
            }
            if (beat % 10 == 0) {
                System.out.print('.');
                System.out.flush();
            }
            Thread.sleep(100); // A process does not tell another one when it is ready.
        }
        Thread monitor = new Thread(this::monitor, "monitor");
        monitor.setDaemon(true);
        monitor.start();
        customers.come(Duration.ofMillis(170));
        System.out.println(" ready after " + (System.nanoTime() - begun) / 1_000_000_000 + " s");
        System.out.println();
        System.out.println("  Look here:  " + server.url());
        for (Instance each : instances) {
            System.out.println("  " + each.name() + "  " + each.url() + "  log: " + each.log());
        }
        System.out.println("  Ctrl-C ends all of it.");
        System.out.println();
        return true;
    }

    /** Asks those that are starting whether they have started. */
    private boolean allRun() throws InterruptedException {
        boolean all = true;
        for (Instance each : instances) {
            if (each.state() == Instance.State.STARTING && answers(each)) {
                each.answered();
            }
            all &= each.state() == Instance.State.RUNNING;
        }
        return all;
    }

    /** An instance that was killed and started again says when it is ready only by answering. */
    private void monitor() {
        try {
            while (!closed.get()) {
                allRun();
                Thread.sleep(200); // As above.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean answers(Instance instance) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(instance.url() + "/fleet"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 200) {
                server.describe(answer.body());
            }
            return answer.statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private void explain(Instance instance) {
        workplace.keep();
        System.out.println();
        System.out.println(
                instance.state() == Instance.State.GONE
                        ? instance.name() + " ended while it was starting. The end of its log, " + instance.log() + ":"
                        : instance.name() + " has not answered within " + START.toMinutes()
                                + " minutes. It may only be slow. The end of its log, " + instance.log() + ":");
        try {
            List<String> lines = Files.readAllLines(instance.log());
            lines.subList(Math.max(0, lines.size() - 15), lines.size()).forEach(System.out::println);
        } catch (IOException e) {
            System.out.println("(no log: " + e.getMessage() + ")");
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

    /** The instances first, all at once: they release their locks while Redis is still there. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            customers.close();
            instances.forEach(Instance::terminate);
            instances.forEach(Instance::awaitEnd);
            server.close();
            backing.close();
            workplace.close();
        }
    }

    /** The logs. */
    Path folder() {
        return workplace.folder();
    }
}
