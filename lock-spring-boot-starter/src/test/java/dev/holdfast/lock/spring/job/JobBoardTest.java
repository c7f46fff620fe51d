package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobBoard.Entry;
import dev.holdfast.lock.spring.JobBoard.Job;
import dev.holdfast.lock.spring.JobBoard.Outcome;
import dev.holdfast.lock.spring.JobStopRequested;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.Year;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/**
 * Two instances on a real Redis, whose jobs have one tick a year. A test decides when the next tick begins: it replaces the last one by an earlier
 * one.
 */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobBoardTest {

    private static final Instant THIS_YEAR =
            Year.now(ZoneOffset.UTC).atDay(1).atStartOfDay().toInstant(ZoneOffset.UTC);

    private static final String PREFIX = "board-" + System.nanoTime() + ":";
    private static Locked here;
    private static Locked there;

    @BeforeAll
    static void open() {
        here = Locked.instance(PREFIX, Jobs.class);
        there = Locked.instance(PREFIX, Jobs.class);
    }

    @AfterAll
    static void close() {
        here.close();
        there.close();
    }

    @AfterEach
    void forget() {
        RedisCommands<String, String> redis = RedisServer.shared().cli();
        redis.keys("*" + PREFIX + "*").forEach(redis::del);
    }

    private static Instant tick(int yearsAgo) {
        return THIS_YEAR.atZone(ZoneOffset.UTC).minusYears(yearsAgo).toInstant();
    }

    /** Lets the present tick be due again: as if all that is known had been years ago. */
    private void lastWas(int yearsAgo) {
        here.writeRecord("job", "tick " + tick(yearsAgo));
    }

    private static Job board(Locked app) {
        return app.bean(JobBoard.class).jobs().stream()
                .filter(job -> job.name().equals("job"))
                .findFirst()
                .orElseThrow();
    }

    private static void run(Locked app, Callable<?> body) {
        app.bean(Jobs.class).run(body);
    }

    @Test
    void everyInstanceShowsTheRunOfAnyOther() {
        long start = System.nanoTime();
        run(here, () -> null);
        Job seen = board(there);
        assertThat(seen).usingRecursiveComparison().ignoringFields("at").isEqualTo(board(here));
        assertThat(seen.history()).hasSize(1);
        Entry run = seen.history().get(0);
        assertThat(run.outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(run.tick()).isEqualTo(THIS_YEAR);
        assertThat(run.instance()).isEqualTo(here.locks().clientName());
        assertThat(run.began()).isAfter(THIS_YEAR);
        assertThat(run.took()).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - start));
        assertThat(seen.lastSucceeded()).isEqualTo(THIS_YEAR);
        assertThat(seen.nextTick()).isEqualTo(tick(-1));
        assertThat(seen.overdueSince()).isNull();
        assertThat(seen.running()).isNull();
    }

    @Test
    void publisherThatFailsIsShownWithTheClassOfItsException() {
        assertThatThrownBy(() -> here.bean(Jobs.class).published().block()).isInstanceOf(IllegalStateException.class);
        assertThat(here.bean(JobBoard.class).jobs())
                .filteredOn(job -> job.name().equals("published"))
                .flatExtracting(Job::history)
                .extracting(Entry::reason)
                .containsExactly("java.lang.IllegalStateException");
    }

    @Test
    void runThatIsGoingOnIsShownSinceItsBegin() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(here, () -> {
            begun.countDown();
            return end.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }));
        assertThat(begun.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Entry now = board(there).running();
        end.countDown();
        running.join();
        assertThat(now).isNotNull();
        assertThat(now.instance()).isEqualTo(here.locks().clientName());
        assertThat(now.took()).isNull();
        assertThat(board(there).running()).isNull();
    }

    @Test
    void runIsAskedToStopByAnotherInstanceAndTheNextIsNot() {
        run(here, () -> {
            Lease lease = LockContext.current();
            assertThat(lease.stopRequested()).isFalse();
            assertThat(there.bean(JobBoard.class).requestStop("job", "olga")).isTrue();
            assertThat(Jobs.STOPS).containsExactly(new JobStopRequested("job", "olga"));
            assertThat(board(here).running().reason()).isEqualTo("stop-requested");
            assertThat(board(here).running().outcome()).isEqualTo(Outcome.RUNNING);
            // A renewal says it too, but later.
            assertThat(lease.verify()).isTrue();
            return assertThat(lease.stopRequested()).isTrue();
        });

        assertThat(board(there).history())
                .extracting(Entry::outcome, Entry::reason)
                .containsExactly(tuple(Outcome.SUCCEEDED, null));
        assertThat(there.bean(JobBoard.class).requestStop("job", null)).isFalse();
        here.writeRecord("job", here.record("job").replaceFirst("tick \\S+", "tick " + tick(1)));
        run(here, () -> {
            assertThat(LockContext.current().verify()).isTrue();
            return assertThat(LockContext.current().stopRequested()).isFalse();
        });
    }

    @Test
    void runThatNobodyEndedHasDied() {
        run(here, () -> null);
        String ended = here.record("job");
        here.writeRecord("job", ended.replaceFirst("(?m)^(run \\S+ \\S+) \\d+ succeeded", "$1 - running"));
        assertThat(board(there).history()).extracting(Entry::outcome).containsExactly(Outcome.DIED);
    }

    @Test
    void runThatLostItsLockSaysSoInTheNextRunOfItsInstance() {
        assertThatThrownBy(() -> run(here, () -> {
                    there.locks().forceRelease("job");
                    // Another one has the lock meanwhile.
                    return there.locks().getLock("job").acquire();
                }))
                .isInstanceOf(LeaseLostException.class);
        there.locks().forceRelease("job");
        assertThat(board(there).history()).extracting(Entry::outcome).containsExactly(Outcome.DIED);
        here.writeRecord("job", here.record("job").replaceFirst("tick \\S+", "tick " + tick(1)));
        run(here, () -> null);
        assertThat(board(there).history()).extracting(Entry::outcome).containsExactly(Outcome.SUCCEEDED, Outcome.LOST);
    }

    /** Instead of a year, all ticks of the record move back. */
    private void yearPasses() {
        String text = here.record("job");
        for (int year = 9; year >= 0; year--) {
            text = text.replace(tick(year).toString(), tick(year + 1).toString());
        }
        assertThat(here.locks().forceRelease("job")).isFalse();
        here.writeRecord("job", text);
    }

    @Test
    void ticksThatNobodyRanAreOneEntry() {
        lastWas(4);
        assertThat(board(there).history())
                .extracting(Entry::outcome, Entry::tick, Entry::ticks, Entry::reason)
                .containsExactly(tuple(Outcome.MISSED, tick(3), 4, "before-start"));
        run(here, () -> null);
        assertThat(board(there).history())
                .extracting(Entry::outcome, Entry::tick, Entry::ticks)
                .containsExactly(tuple(Outcome.SUCCEEDED, tick(0), 1), tuple(Outcome.MISSED, tick(3), 3));
    }

    @Test
    void gaugeAndHealthNameAnOverdueJob() {
        lastWas(1);
        assertThat(board(there).overdueSince()).isEqualTo(tick(0));
        dev.holdfast.lock.spring.job.Jobs jobs = there.bean(dev.holdfast.lock.spring.job.Jobs.class);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();

        new OverdueMeters(jobs).bindTo(registry);

        assertThat(registry.get("holdfast.job.overdue")
                        .tag("name", "job")
                        .timeGauge()
                        .value(TimeUnit.SECONDS))
                .isPositive();
        assertThat(jobs.health().get("overdue").toString()).contains("job: the tick of ");
    }

    /** The second instance fires no tick of its own, so it knows of the pause only if it asks. */
    @Test
    void pausedJobIsNotOverdue() {
        lastWas(1);
        assertThat(board(there).overdueSince()).isEqualTo(tick(0));
        try (Locked first = Locked.instance(PREFIX, Jobs.class, Pausable.class)) {
            first.bean(LockPauses.class).pause("job", Duration.ofHours(1), "olga", "wrong prices");
            try (Locked second = Locked.instance(PREFIX, Jobs.class, Pausable.class)) {
                Await.until("it knows", Await.PATIENCE, () -> board(second).overdueSince() == null);
            }
        }
    }

    @Test
    void lastTwentyRunsAreKept() {
        for (int i = 0; i < 30; i++) {
            run(here, () -> null);
            yearPasses();
        }
        assertThat(board(there).history())
                .filteredOn(entry -> entry.outcome() == Outcome.SUCCEEDED)
                .hasSize(20);
    }

    @Test
    void runKnowsItsTickAndThatOfTheLastSuccess() {
        List<Tick> ticks = new ArrayList<>();
        run(here, () -> ticks.add(LockContext.tick()));
        yearPasses();
        assertThatThrownBy(() -> run(there, () -> {
                    ticks.add(LockContext.tick());
                    throw new IllegalStateException("no paper");
                }))
                .hasMessage("no paper");
        yearPasses();
        run(there, () -> ticks.add(LockContext.tick()));
        assertThat(ticks)
                .containsExactly(
                        new Tick(tick(0), tick(1), null),
                        new Tick(tick(0), tick(1), tick(1)),
                        new Tick(tick(0), tick(1), tick(2)));
        assertThatThrownBy(LockContext::tick).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void publisherKnowsItsTickOnItsOwnThreads() {
        assertThat(here.bean(Jobs.class).tickOfAPublisher().block()).isEqualTo(THIS_YEAR);
    }

    @Test
    void repeatedTickCountsWhenItSucceeds() {
        here.writeRecord("repeated", "tick " + tick(2));
        List<Tick> ticks = new ArrayList<>();
        Jobs jobs = here.bean(Jobs.class);
        assertThatThrownBy(() -> jobs.repeated(() -> {
                    throw new IllegalStateException("no paper");
                }))
                .hasMessage("no paper");
        assertThat(here.record("repeated")).startsWith("tick " + tick(2) + "\nrun " + tick(0));
        jobs.repeated(() -> ticks.add(LockContext.tick()));
        jobs.repeated(() -> ticks.add(LockContext.tick()));
        assertThat(ticks).containsExactly(new Tick(tick(0), tick(1), tick(2)));
        assertThat(here.record("repeated")).startsWith("tick " + tick(0) + "\nsucceeded " + tick(0));
        assertThat(here.bean(JobBoard.class).jobs())
                .filteredOn(job -> job.name().equals("repeated"))
                .flatExtracting(Job::history)
                .extracting(Entry::outcome)
                .containsExactly(Outcome.SUCCEEDED, Outcome.FAILED, Outcome.MISSED);
    }

    static class Pausable implements LockSettings.Source {

        @Override
        public LockSettings named(String name) {
            return new LockSettings(null, null, null, null, null, null, null, null, true);
        }
    }

    static class Jobs {

        static final List<JobStopRequested> STOPS = new CopyOnWriteArrayList<>();

        @EventListener
        void note(JobStopRequested event) {
            STOPS.add(event);
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void run(Callable<?> body) {
            call(body);
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "repeated", onFailure = OnFailure.RETRY, waitTime = "5s")
        public void repeated(Callable<?> body) {
            call(body);
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("published")
        public Mono<String> published() {
            return Mono.error(new IllegalStateException("no paper"));
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("of-a-publisher")
        public Mono<Instant> tickOfAPublisher() {
            return Mono.just(LockContext.tick().time());
        }

        private static void call(Callable<?> body) {
            try {
                body.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
