package dev.holdfast.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One run of the workers with a library, while all sources of faults of a stage strike at the same time.
 *
 * @param library what the workers open
 * @param seconds for how long faults strike
 * @param restSeconds for how long the workers go on afterwards
 * @param logs the folder for what workers print
 */
public record Run(CheckedLibrary library, long seed, int seconds, int restSeconds, Path logs) {

    /**
     * The length of a storm of faults. After each storm, all sources of faults rest, so that the permanent effects of a fault are not hidden by other
     * faults.
     */
    public static final int STORM_SECONDS = 25;

    private static final long STORM = TimeUnit.SECONDS.toNanos(STORM_SECONDS);
    private static final long PERIOD = STORM + TimeUnit.SECONDS.toNanos(5);
    private static final int FIRST_GRANTS = 100;

    /**
     * The result of a run.
     *
     * @param left what was left behind
     */
    public record Result(History history, List<String> left) {}

    public Result on(Stage stage, FaultLog log) throws InterruptedException {
        List<String> left = new ArrayList<>();
        try (Registers registers = new Registers();
                Workers workers = new Workers(library.locks(), stage, registers.port(), seed, logs)) {
            awaitTheFirstGrants(registers, workers);
            stage.started(registers);
            strike(stage.faults(workers, log));
            stage.heal();
            TimeUnit.SECONDS.sleep(restSeconds);
            if (!workers.end(registers)) {
                left.add("a worker that does not end");
            }
            left.addAll(registers.left());
            if (library.equals(CheckedLibrary.HOLDFAST)) {
                left.addAll(stage.leftBehind());
            }
            workers.close();
            return new Result(registers.history(log.outages()), left);
        }
    }

    private static void awaitTheFirstGrants(Registers registers, Workers workers) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (registers.grants() < FIRST_GRANTS) {
            workers.requireLife();
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("The workers got " + registers.grants() + " grants in a minute");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Lets all sources cause faults at the same time, each with its own random numbers. */
    private void strike(List<Faults> sources) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failed = new CopyOnWriteArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            Faults source = sources.get(i);
            Random random = new Random(seed * 100 + i);
            Thread thread = new Thread(() -> strike(source, random, over), "faults-" + i);
            thread.setUncaughtExceptionHandler((ended, thrown) -> failed.add(thrown));
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        try {
            TimeUnit.SECONDS.sleep(seconds);
        } finally {
            // A fault after the end of the workers would start one again.
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        if (!failed.isEmpty()) {
            // If a source ends early, the rest of the round has fewer faults than the report would say.
            throw new IllegalStateException("A source of faults failed", failed.get(0));
        }
    }

    private void strike(Faults source, Random random, AtomicBoolean over) {
        long begin = System.nanoTime();
        try {
            while (!over.get()) {
                TimeUnit.MILLISECONDS.sleep(source.pauseMillis() + random.nextInt(source.pauseMillis()));
                if ((System.nanoTime() - begin) % PERIOD < STORM) {
                    source.strike(random);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
