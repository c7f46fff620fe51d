package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobBoard.Entry;
import dev.holdfast.lock.spring.JobBoard.Outcome;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A job of Spring's scheduler with a tick every five seconds of real time, in three processes that fail in every way, and one more instance that only
 * looks. Runs on request, on a quiet machine: {@code -Dholdfast.board.ticks=100}.
 */
@EnabledIfSystemProperty(named = "holdfast.board.ticks", matches = "\\d+")
@OneAtATime
class EveryTickIsAccountedForTest {

    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final int TICKS = Integer.getInteger("holdfast.board.ticks", 100);

    private final RedisServer server = RedisServer.start();
    private final String prefix = "board-" + System.nanoTime() + ":";
    private final List<Instance> instances = new ArrayList<>();
    private final BlockingQueue<Run> runs = new LinkedBlockingQueue<>();
    private final Map<Instant, Instance> ran = new TreeMap<>();
    private final List<Instant> twice = new ArrayList<>();
    private final Map<Instant, Entry> seen = new TreeMap<>();
    private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
    private Locked observer;

    private record Run(Instant tick, Instance instance) {}

    private record Sample(Instant at, double overdue) {}

    @AfterEach
    void close() {
        List.copyOf(instances).forEach(Instance::close);
        if (observer != null) {
            observer.close();
        }
        server.close();
    }

    @Test
    void eachTickRunsOnceOrSaysWhyNot() throws Exception {
        observer = Locked.instance(server.uri().toURI().toString(), prefix, Job.class);
        for (int i = 0; i < 3; i++) {
            start();
        }
        Instant first = next().tick();

        Instant kill = tick(first, TICKS / 10);
        until(kill).instance().signal("KILL");
        start();

        Instant freeze = tick(first, TICKS / 4);
        Instance frozen = until(freeze).instance();
        frozen.signal("STOP");
        pause(PERIOD.multipliedBy(2).plusSeconds(2));
        frozen.signal("CONT");

        Instant down = tick(first, TICKS * 45 / 100);
        until(down);
        pause(Duration.ofSeconds(3));
        List.copyOf(instances).forEach(Instance::kill);
        pause(PERIOD.multipliedBy(3));
        for (int i = 0; i < 3; i++) {
            start();
        }

        until(tick(first, TICKS * 65 / 100));
        for (Instance old : List.copyOf(instances)) {
            Instance next = start();
            while (!next.isReady) {
                pause(Duration.ofSeconds(1));
            }
            old.close();
        }

        Instant away = tick(first, TICKS * 8 / 10);
        until(away);
        pause(Duration.ofSeconds(3));
        server.pause();
        pause(PERIOD.multipliedBy(2));
        server.resume();

        Instant last = tick(first, TICKS);
        until(last);
        pause(Duration.ofSeconds(3));
        look();

        System.out.println(summary(first, last));
        assertThat(twice).isEmpty();
        for (Instant tick = first; !tick.isAfter(last); tick = tick.plus(PERIOD)) {
            assertThat(seen).containsKey(tick);
            assertThat(seen.get(tick).outcome() != Outcome.MISSED)
                    .as(tick.toString())
                    .isEqualTo(ran.containsKey(tick));
        }
        assertThat(seen.get(kill).outcome()).isEqualTo(Outcome.DIED);
        assertThat(seen.get(freeze).outcome()).isIn(Outcome.LOST, Outcome.DIED);
        assertThat(missed("before-start")).isGreaterThanOrEqualTo(3);
        assertThat(missed("unavailable")).isGreaterThanOrEqualTo(2);
        assertThat(wasOverdue(down.plus(PERIOD))).isTrue();
        assertThat(wasOverdue(away.plus(PERIOD))).isTrue();
        List<String> boards = new ArrayList<>();
        for (Instance instance : instances) {
            boards.add(instance.board());
        }
        assertThat(boards).hasSize(3).allMatch(boards.get(0)::equals);
    }

    private long missed(String reason) {
        return seen.values().stream()
                .filter(entry -> entry.outcome() == Outcome.MISSED && reason.equals(entry.reason()))
                .count();
    }

    /** Within one period after a tick, the gauge of an instance that was not to run it says that nobody has begun it. */
    private boolean wasOverdue(Instant tick) {
        return samples.stream()
                .anyMatch(sample -> sample.overdue() > 0
                        && sample.at().isAfter(tick)
                        && sample.at().isBefore(tick.plus(PERIOD).plusSeconds(1)));
    }

    private String summary(Instant first, Instant last) {
        Map<String, Long> outcomes = seen.entrySet().stream()
                .filter(each -> !each.getKey().isBefore(first) && !each.getKey().isAfter(last))
                .map(Map.Entry::getValue)
                .collect(Collectors.groupingBy(
                        entry -> entry.outcome() + (entry.outcome() == Outcome.MISSED ? " " + entry.reason() : ""),
                        TreeMap::new,
                        Collectors.counting()));
        long overdue = samples.stream().filter(sample -> sample.overdue() > 0).count();
        return "Of " + (TICKS + 1) + " ticks: " + outcomes + ", twice: " + twice.size() + ", gauge above 0 in "
                + overdue + " of " + samples.size() + " looks";
    }

    private static Instant tick(Instant first, int number) {
        return first.plus(PERIOD.multipliedBy(number));
    }

    private Run next() throws InterruptedException {
        while (true) {
            look();
            Run run = runs.poll(500, TimeUnit.MILLISECONDS);
            if (run != null) {
                if (ran.put(run.tick(), run.instance()) != null) {
                    twice.add(run.tick());
                }
                return run;
            }
        }
    }

    /** Waits for the run of this tick or, if nobody runs it, of a later one. */
    private Run until(Instant tick) throws InterruptedException {
        Run run = next();
        while (run.tick().isBefore(tick)) {
            run = next();
        }
        return run;
    }

    private void pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            look();
            // Real time passes: processes and their scheduler are what is tested.
            Thread.sleep(500);
        }
    }

    /** The board keeps twenty runs, so this collects them. */
    private void look() {
        double overdue = observer.bean(OverdueWatch.class).seconds("job");
        samples.add(new Sample(Instant.now(), overdue));
        if (!server.isServing()) {
            return;
        }
        try {
            observer.bean(JobBoard.class).jobs().get(0).history().forEach(entry -> {
                // What is not written yet is only this instance's view.
                boolean isWritten = entry.outcome() != Outcome.MISSED
                        || seen.keySet().stream().anyMatch(tick -> tick.isAfter(entry.tick()));
                for (int i = 0; isWritten && i < entry.ticks(); i++) {
                    seen.put(entry.tick().plus(PERIOD.multipliedBy(i)), entry);
                }
            });
        } catch (LockUnavailableException away) {
            // The server stands still.
        }
    }

    private Instance start() throws IOException {
        Instance instance = new Instance(ChildJvm.start(
                List.of(),
                List.of(),
                EveryTickIsAccountedForTest.class,
                server.uri().toURI().toString(),
                prefix));
        instances.add(instance);
        return instance;
    }

    private final class Instance {
        private final ChildJvm jvm;
        private final CompletableFuture<String> board = new CompletableFuture<>();
        private volatile boolean isReady;

        Instance(ChildJvm jvm) {
            this.jvm = jvm;
            Thread reader = new Thread(this::read);
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try {
                while (true) {
                    String line = jvm.await("says ").substring("says ".length());
                    if (line.equals("ready")) {
                        isReady = true;
                    } else if (line.startsWith("board ")) {
                        board.complete(line);
                    } else {
                        runs.add(new Run(Instant.parse(line), this));
                    }
                }
            } catch (IOException | AssertionError ended) {
                // The process was ended.
            }
        }

        String board() throws Exception {
            jvm.say("board");
            return board.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        void signal(String name) throws Exception {
            jvm.signal(name);
            if (name.equals("KILL")) {
                instances.remove(this);
            }
        }

        void kill() {
            try {
                signal("KILL");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        void close() {
            instances.remove(this);
            jvm.close();
        }
    }

    /** An instance. The parent ends it. */
    public static void main(String[] args) throws IOException {
        try (Locked instance = Locked.instance(args[0], args[1], Scheduling.class, Job.class)) {
            System.out.println("says ready");
            BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (told.readLine() != null) {
                String board =
                        instance.bean(JobBoard.class).jobs().get(0).history().toString();
                System.out.println("says board " + board);
            }
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Job {

        /** The run takes long enough that a signal comes in the middle of it. */
        @Scheduled(cron = "*/5 * * * * *")
        @OncePerTick(name = "job", onUnavailable = OnUnavailable.SKIP, leaseTime = "4s")
        public void run() throws InterruptedException {
            System.out.println("says " + LockContext.tick().time());
            // The work.
            Thread.sleep(1_500);
        }
    }
}
