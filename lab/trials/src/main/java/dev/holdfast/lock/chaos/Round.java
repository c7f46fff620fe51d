package dev.holdfast.lock.chaos;

import dev.holdfast.lock.trials.LockLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run with a library, a class of faults, a seed and a length. */
record Round(LockLibrary library, FaultClass faultClass, long seed, int seconds) {

    /**
     * The length of a storm of faults. After each storm, all sources of faults rest, so that the permanent effects of a fault are not hidden by other
     * faults.
     */
    private static final long STORM = TimeUnit.SECONDS.toNanos(25);

    private static final long PERIOD = STORM + TimeUnit.SECONDS.toNanos(5);

    /** The result of a run. */
    record Result(Round round, History history, Findings findings) {

        Outcome outcome() {
            return Outcome.of(this);
        }
    }

    Result run(Path folder) throws InterruptedException {
        FaultLog log = new FaultLog();
        List<String> left = new ArrayList<>();
        try (Stage stage = faultClass.open();
                Registers registers = new Registers();
                Workers workers = new Workers(library, stage, registers.port(), seed, logs(folder))) {
            awaitTheFirstGrants(registers);
            strike(stage.faults(workers, log));
            stage.heal();
            // The effects of the faults must heal by themselves, under load.
            TimeUnit.SECONDS.sleep(faultClass == FaultClass.NONE ? 0 : seconds < STORM / 1_000_000_000 ? 2 : 4);
            if (!workers.end(registers)) {
                left.add("a worker that does not end");
            }
            left.addAll(registers.left());
            if (library == LockLibrary.HOLDFAST) {
                left.addAll(stage.leftBehind());
            }
            workers.close();
            return check(registers.history(log.outages()), left);
        }
    }

    private Path logs(Path folder) {
        try {
            return Files.createDirectories(folder.resolve(library + "-" + faultClass + "-" + seed));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitTheFirstGrants(Registers registers) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (registers.grants() < 300) {
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
        TimeUnit.SECONDS.sleep(seconds);
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
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

    private Result check(History history, List<String> left) {
        Terms terms = library == LockLibrary.HOLDFAST
                ? faultClass.terms()
                : faultClass.terms().withoutLossReports();
        Findings findings = Checker.check(history, terms, Workers.COUNT);
        left.forEach(each -> findings.broken(Rule.NOTHING_LEFT, each));
        return new Result(this, history, findings);
    }
}
