package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.Await;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The worker processes of a run. */
final class Workers implements AutoCloseable {

    static final int COUNT = 3;

    private final List<WorkerProcess> processes = new ArrayList<>();

    Workers(LockLibrary.Name library, Stage stage, int registers, long seed, Path folder) {
        for (int i = 0; i < COUNT; i++) {
            processes.add(new WorkerProcess(
                    library,
                    stage.address(i),
                    registers,
                    i,
                    seed * COUNT + i,
                    folder.resolve("worker-" + i + ".log"),
                    stage.environment(i)));
        }
    }

    WorkerProcess get(int worker) {
        return processes.get(worker);
    }

    /** Lets the client of a random worker release a lock by force. */
    void forceRelease(String lock, Random random) {
        processes.get(random.nextInt(COUNT)).order(lock);
    }

    /** Orders all workers to close their clients, and waits until they have. Returns false if one of them does not. */
    boolean end(Registers registers) {
        try {
            processes.forEach(process -> process.order("end"));
            Await.until("all workers have closed", Duration.ofSeconds(30), () -> registers.closed() == COUNT);
            return true;
        } catch (IllegalStateException | UncheckedIOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        processes.forEach(WorkerProcess::close);
    }
}
