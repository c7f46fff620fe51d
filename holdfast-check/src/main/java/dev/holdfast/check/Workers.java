package dev.holdfast.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The worker processes of a run. */
public final class Workers implements AutoCloseable {

    public static final int COUNT = 3;

    private final Path folder;
    private final List<WorkerProcess> processes = new ArrayList<>();

    Workers(Class<? extends WorkerLocks> library, Stage stage, int registers, long seed, Path folder) {
        this.folder = folder;
        for (int i = 0; i < COUNT; i++) {
            processes.add(start(library, stage, registers, i, seed * COUNT + i));
        }
    }

    private Path log(int worker) {
        return folder.resolve("worker-" + worker + ".log");
    }

    private WorkerProcess start(
            Class<? extends WorkerLocks> library, Stage stage, int registers, int worker, long seed) {
        return new WorkerProcess(
                Worker.class,
                System.getProperty("java.class.path"),
                List.of(
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-Dgrace=" + Terms.grace().toSeconds()),
                start -> List.of(
                        library.getName(),
                        stage.address(worker).toString(),
                        String.valueOf(registers),
                        String.valueOf(worker),
                        String.valueOf(start),
                        String.valueOf(seed * 31 + start),
                        // The first worker uses virtual threads, if the JDK has them.
                        String.valueOf(worker == 0)),
                builder -> {
                    builder.environment().putAll(stage.environment(worker));
                    return builder.redirectErrorStream(true)
                            .redirectOutput(
                                    ProcessBuilder.Redirect.appendTo(log(worker).toFile()));
                });
    }

    /** @throws IllegalStateException with what a worker printed, if all have ended */
    void requireLife() {
        if (processes.stream().noneMatch(WorkerProcess::isAlive)) {
            throw new IllegalStateException("The workers ended: " + printed(0));
        }
    }

    private String printed(int worker) {
        try {
            return Files.readString(log(worker));
        } catch (IOException e) {
            return "it printed nothing";
        }
    }

    public WorkerProcess get(int worker) {
        return processes.get(worker);
    }

    /** Lets the client of a random worker release a lock by force. */
    public void forceRelease(String lock, Random random) {
        processes.get(random.nextInt(COUNT)).order(lock);
    }

    /** Orders all workers to close their clients, and waits until they have. Returns false if one of them does not. */
    boolean end(Registers registers) throws InterruptedException {
        try {
            processes.forEach(process -> process.order("end"));
            return registers.awaitClosed();
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        processes.forEach(WorkerProcess::close);
    }
}
