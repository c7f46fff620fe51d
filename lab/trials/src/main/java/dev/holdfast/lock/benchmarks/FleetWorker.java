package dev.holdfast.lock.benchmarks;

import dev.holdfast.check.WorkerProcess;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.LiveObjects;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with some clients of one library. It executes the orders on its standard input, and answers each order with one line that begins with {@code
 * >}. It ends when its input ends, so it never outlives the benchmark.
 */
public final class FleetWorker {

    private static final long SECONDS_TO_ENTER = 120;

    private final List<Contender> clients = new ArrayList<>();
    private final int threadsEach;
    private final LockKind kind;
    private final Work work;
    private final Ledger ledger;
    /** The resources used before the first client is opened. Later use is caused by the library or the round. */
    private final JvmCost atStart = JvmCost.now();

    private @Nullable WorkerThreads threads;
    private final List<WorkerNames> names = new ArrayList<>();

    private FleetWorker(WorkerShape shape, int port, Path ledger) {
        for (int i = 0; i < shape.clients(); i++) {
            clients.add(
                    shape.clients() > 2
                            ? Contender.openOneOfMany(shape.library(), port)
                            : Contender.open(shape.library(), port));
        }
        this.threadsEach = shape.threads();
        this.kind = shape.kind();
        this.work = shape.work();
        this.ledger = Ledger.open(ledger);
    }

    /**
     * Runs a worker. {@link WorkerProcess} starts it.
     *
     * @param args the worker's shape, the server's port, the ledger's file
     * @throws IOException if the standard input fails
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FleetWorker worker = new FleetWorker(WorkerShape.parse(args[0]), Integer.parseInt(args[1]), Path.of(args[2]));
        System.out.println("> ready");
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            System.out.println("> " + worker.obey(order.split(" ", -1)));
        }
        Runtime.getRuntime().halt(0);
    }

    private String obey(String[] order) throws InterruptedException {
        return switch (order[0]) {
            case "start" -> start(number -> order[1], work);
            case "warm" -> start(number -> order[1], Work.CYCLE);
            case "own" -> startOnOwnNames(order[1]);
            case "counts" -> threads().counts().line();
            case "samples" -> threads().samples().stream().map(String::valueOf).collect(Collectors.joining(","));
            case "clear" -> clear();
            case "heap" -> String.valueOf(heapBytes());
            case "entered" -> String.valueOf(threads().awaitEntered(SECONDS_TO_ENTER));
            case "leave" -> leave();
            case "acquire" -> acquire(number -> order[1] + number, order[2], false);
            case "queue" -> acquire(number -> order[1], order[2], false);
            case "acquired" -> acquired();
            case "hold" -> hold(number -> order[1] + number, order[2]);
            case "jvm" -> JvmCost.now().minus(atStart).line();
            case "stop" -> stop();
            default -> throw new IllegalArgumentException("Unknown order " + order[0]);
        };
    }

    private String startOnOwnNames(String prefix) {
        String process = prefix + "-" + ProcessHandle.current().pid() % 1000 + "-";
        return start(number -> process + number, work);
    }

    private String start(IntFunction<String> names, Work done) {
        List<Lock> locks = new ArrayList<>();
        for (Contender client : clients) {
            for (int i = 0; i < threadsEach; i++) {
                locks.add(client.lock(names.apply(locks.size()), kind));
            }
        }
        threads = new WorkerThreads(done, ledger, locks);
        return "started";
    }

    private String clear() {
        threads().clearSamples();
        return "cleared";
    }

    private String leave() throws InterruptedException {
        threads().awaitLeft(SECONDS_TO_ENTER);
        return "left";
    }

    private String acquire(IntFunction<String> locks, String number, boolean renewed) {
        names.add(new WorkerNames(clients.get(0), locks, Integer.parseInt(number), renewed));
        return "waiting";
    }

    private String hold(IntFunction<String> locks, String number) {
        WorkerNames held = new WorkerNames(clients.get(0), locks, Integer.parseInt(number), true);
        held.awaitAll();
        names.add(held);
        return "held";
    }

    private String stop() throws InterruptedException {
        threads().stop();
        // The threads are discarded, because their memory would otherwise count in the next round.
        threads = null;
        return "stopped";
    }

    private String acquired() {
        int acquired = 0;
        for (WorkerNames each : names) {
            acquired += each.awaitAcquired(SECONDS_TO_ENTER);
        }
        names.clear();
        return String.valueOf(acquired);
    }

    private WorkerThreads threads() {
        if (threads == null) {
            throw new IllegalStateException("Not started");
        }
        return threads;
    }

    /** Returns the size of all live objects. The JVM's own figure for the heap includes gaps and objects that a collection has not found yet. */
    static long heapBytes() {
        // The first collection clears reference objects, so that the histogram's collection can remove the objects that
        // only they hold.
        System.gc();
        String[] rows = LiveObjects.histogram().strip().split("\n", -1);
        return Long.parseLong(rows[rows.length - 1].strip().split("\\s+", -1)[2]);
    }
}
