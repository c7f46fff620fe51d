package dev.holdfast.lock.benchmarks;

import dev.holdfast.check.WorkerProcess;
import dev.holdfast.lock.trials.LockLibrary;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The worker processes of one library. Each order is sent to all of them at once. */
final class Fleet implements AutoCloseable {

    private static final String HEAP = "-Xmx" + System.getProperty("worker.heap", "1200m");

    private final List<WorkerProcess> workers = new ArrayList<>();

    /** Divides the clients among the processes and waits until all of them are connected. */
    Fleet(WorkerShape shape, int processes, int port, Path ledger) {
        for (int i = 0; i < processes; i++) {
            int clients = shape.clients() / processes + (i < shape.clients() % processes ? 1 : 0);
            workers.add(start(shape.withClients(clients), port, ledger));
        }
        workers.forEach(WorkerProcess::answer);
    }

    private static WorkerProcess start(WorkerShape shape, int port, Path ledger) {
        return new WorkerProcess(
                FleetWorker.class,
                classPath(shape.library()),
                List.of(
                        HEAP,
                        "-Dvirtual=" + ContenderThread.VIRTUAL,
                        "-Dio.netty.allocator.type=" + (shape.work() == Work.NONE ? "unpooled" : "adaptive"),
                        "-XX:+ExitOnOutOfMemoryError"),
                start -> List.of(shape.line(), String.valueOf(port), ledger.toString()),
                builder -> builder.redirectError(ProcessBuilder.Redirect.INHERIT));
    }

    /** The classes of a jar that comes first hide those of the same name. */
    private static String classPath(LockLibrary library) {
        String own = System.getProperty("java.class.path");
        if (library != LockLibrary.EARLIER) {
            return own;
        }
        Path earlier = Path.of(System.getProperty("earlier", "")).toAbsolutePath();
        if (!Files.isRegularFile(earlier)) {
            throw new IllegalArgumentException("-Dearlier must name the jar of another build of lock-core: " + earlier);
        }
        return earlier + File.pathSeparator + own;
    }

    void start(String lock) {
        ask("start", lock);
    }

    /**
     * Lets the threads acquire the lock in turn without pauses until the fleet is stopped, whatever its usual work is. In this time, the JVMs compile
     * their code.
     */
    void warmUp(String lock) {
        ask("warm", lock);
    }

    /** Starts the work of each thread, on its own lock. */
    void startOnOwnNames(String prefix) {
        ask("own", prefix);
    }

    Counts counts() {
        return ask("counts").stream().map(Counts::parse).reduce(Counts.NONE, Counts::with);
    }

    void clearSamples() {
        ask("clear");
    }

    /** Returns the times that the threads measured, in ns. */
    List<Long> samples() {
        return ask("samples").stream()
                .filter(line -> !line.isEmpty())
                .flatMap(line -> List.of(line.split(",", -1)).stream())
                .map(Long::valueOf)
                .toList();
    }

    long heapBytes() {
        return ask("heap").stream().mapToLong(Long::parseLong).sum();
    }

    /** Returns the time at which the last thread entered, in ns of the monotonic clock; 0 if a thread did not enter in time. */
    long awaitEntered() {
        List<Long> last = ask("entered").stream().map(Long::valueOf).toList();
        return last.contains(0L)
                ? 0
                : last.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    void leave() {
        ask("leave");
    }

    void stop() {
        ask("stop");
    }

    /** Requests the given number of names at once, without threads. */
    void acquire(String prefix, int names) {
        ask("acquire", prefix, names);
    }

    /** Requests one name the given number of times at once, without threads. */
    void queue(String name, int waiters) {
        ask("queue", name, waiters);
    }

    /** Returns how many of these requests were granted in time. Each lock is released when it is granted. */
    long awaitAcquired() {
        return ask("acquired").stream().mapToLong(Long::parseLong).sum();
    }

    /** Holds the given number of names, with renewal, until {@link #awaitAcquired()} releases them. */
    void hold(String prefix, int names) {
        ask("hold", prefix, names);
    }

    /** Returns the resources that the JVMs have used since just before their clients were opened. */
    JvmCost cost() {
        return ask("jvm").stream().map(JvmCost::parse).reduce(JvmCost.NONE, JvmCost::plus);
    }

    private List<String> ask(String verb, Object... words) {
        StringBuilder order = new StringBuilder(verb);
        for (Object word : words) {
            // A worker splits its order at the spaces, so it would use the first word of a name, and contend for
            // another lock.
            if (word.toString().contains(" ")) {
                throw new IllegalArgumentException("A name must not contain a space: " + word);
            }
            order.append(' ').append(word);
        }
        workers.forEach(worker -> worker.order(order.toString()));
        return workers.stream().map(WorkerProcess::answer).toList();
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
