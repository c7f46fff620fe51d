package dev.holdfast.lock.spring.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPaused;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.LockResumed;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** Two instances of an application whose methods can be paused. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedCallTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final String PREFIX = UUID.randomUUID() + ":";

    @AutoClose
    private static Locked here;

    @AutoClose
    private static Locked there;

    @BeforeAll
    static void start() {
        here = Locked.instance(PREFIX, Jobs.class, Pausable.class, Audit.class);
        there = Locked.instance(PREFIX, Jobs.class, Pausable.class);
    }

    @AfterEach
    void resumeAll() {
        pauses().all().forEach(pause -> pauses().resume(pause.name(), null));
        Jobs.RUNS.set(0);
    }

    @Test
    void scheduledMethodSkipsOnAllInstancesUntilItIsResumed() {
        LockPause pause = pauses().pause("job", HOUR, "olga", "INC-7: the data is wrong");
        jobs(here).tick();
        jobs(there).tick();
        assertThat(Jobs.RUNS).hasValue(0);
        assertThat(there.bean(LockPauses.class).all()).containsExactly(pause);

        assertThat(there.bean(LockPauses.class).resume("job", "igor")).isTrue();
        jobs(here).tick();
        jobs(there).tick();
        assertThat(Jobs.RUNS).hasValue(2);
        assertThat(pauses().all()).isEmpty();
        assertThat(pauses().resume("job", "igor")).isFalse();
    }

    @Test
    void pauseEndsByItself() {
        pauses().pause("job", Duration.ofSeconds(1), "olga", "for a moment");
        jobs(there).tick();
        assertThat(Jobs.RUNS).hasValue(0);

        Await.until("the pause is over", Await.PATIENCE, () -> {
            jobs(there).tick();
            return Jobs.RUNS.get() > 0;
        });
        assertThat(pauses().all()).isEmpty();
    }

    @Test
    void callWithAResultDoesWhatItDoesForABusyLock() {
        pauses().pause("job", HOUR, "olga", "wrong\\data");

        assertThat(jobs(here).skipping()).isEmpty();
        assertThat(jobs(here).answered()).isEqualTo("later");
        assertThat(jobs(here).answeredScheduled()).isEqualTo("later");
        assertThatThrownBy(jobs(here)::throwing)
                .isInstanceOf(LockPausedException.class)
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("is paused by 'olga' until 20")
                .hasMessageEndingWith("because: wrong\\u005cdata");
        assertThat(jobs(here).scheduledMono().blockOptional()).isEmpty();
        assertThat(Jobs.RUNS).hasValue(0);
        assertThat(here.isHeld("job")).isFalse();
    }

    @Test
    void runThatHasBegunGoesOnWithTheCallsInsideIt() {
        String result = jobs(here).around(() -> {
            pauses().pause("job", HOUR, "olga", "from now on");
            jobs(here).throwing();
        });
        assertThat(result).isEqualTo("ran");
        assertThat(Jobs.RUNS).hasValue(1);
    }

    @Test
    void callThatWaitsLearnsOfThePauseWhenItGetsTheLock() {
        CompletableFuture<Void> answer;
        try (Lease busy = here.locks().getLock("job").acquire()) {
            answer = CompletableFuture.runAsync(jobs(there)::waiting, task -> new Thread(task).start());
            Await.until(
                    "it waits",
                    Await.PATIENCE,
                    () -> !there.locks().waitingLocks().isEmpty());
            pauses().pause("job", HOUR, "olga", "now");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThatThrownBy(answer::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LockPausedException.class);
        assertThat(Jobs.RUNS).hasValue(0);
    }

    @Test
    void pausedTickDoesNotCount() {
        pauses().pause("ticks", HOUR, "olga", "not this one");
        jobs(here).oncePerTick();
        jobs(there).oncePerTick();
        assertThat(Jobs.RUNS).hasValue(0);

        pauses().resume("ticks", "olga");
        jobs(here).oncePerTick();
        jobs(there).oncePerTick();
        assertThat(Jobs.RUNS).hasValue(1);
    }

    @Test
    void onlyTheNamedLockIsPausedAndLocksOfCodeNever() {
        pauses().pause("ticks", HOUR, "olga", "one of two");
        jobs(here).tick();
        assertThat(Jobs.RUNS).hasValue(1);
        try (Lease lease = here.locks().getLock("ticks").acquire()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void pausesAreKeptTogetherAndReplaced() {
        pauses().pause("ticks", HOUR, null, "first");
        pauses().pause("job", HOUR, "olga", "second");
        LockPause third = there.bean(LockPauses.class).pause("ticks", HOUR.multipliedBy(2), "igor", "third");

        assertThat(pauses().all()).extracting(LockPause::reason).containsExactly("second", "third");
        assertThat(pauses().all()).contains(third);
        String key = "holdfast:record:{" + here.key(PauseRecord.LOCK) + "}";
        assertThat(Duration.ofMillis(RedisServer.shared().cli().pttl(key)))
                .isBetween(HOUR.multipliedBy(2).minusMinutes(1), HOUR.multipliedBy(2));

        pauses().resume("ticks", null);
        pauses().resume("job", null);
        Await.until(
                "nothing is left",
                Await.PATIENCE,
                () -> RedisServer.shared().cli().exists(key) == 0);
    }

    @Test
    void longNameOfWhoPausesIsShortenedInItsMiddle() {
        String role = "arn:aws:sts::123456789012:assumed-role/" + "team-".repeat(30) + "/session-of-olga";
        LockPause pause = pauses().pause("job", HOUR, role, "INC-7");
        assertThat(pause.by())
                .hasSize(100)
                .startsWith("arn:aws:sts::123456789012:assumed-role/")
                .contains("...")
                .endsWith("/session-of-olga");
        assertThat(pauses().all()).containsExactly(pause);
        assertThat(pauses().resume("job", role)).isTrue();
    }

    @Test
    void pausesThatDoNotFitAreRefusedAndChangeNothing() {
        PauseRecord record = new PauseRecord(here.locks());
        String reason = "r".repeat(LockPauses.MAX_REASON);
        List<LockPause> fitting = new CopyOnWriteArrayList<>();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> {
                    for (int i = 0; i < 30; i++) {
                        String name = "many" + i;
                        List<LockPause> made = new CopyOnWriteArrayList<>();
                        record.replace(name, now -> {
                            made.add(new LockPause(name, now.plus(HOUR), "olga", reason));
                            return made.get(0);
                        });
                        fitting.addAll(made);
                    }
                })
                .withMessageContaining(LockRecord.MAX_BYTES + " bytes");
        assertThat(fitting).hasSizeGreaterThan(10);
        assertThat(pauses().all()).containsExactlyInAnyOrderElementsOf(fitting);
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        LockPauses pauses = pauses();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("off", HOUR, "olga", "it runs without its lock"))
                .withMessageContaining("can be paused");
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("job", HOUR, "olga", " "));
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("job", HOUR, "olga", "a\tb"));
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("job", HOUR, "ol\nga", "forged"));
        assertThat(pauses.all()).isEmpty();
    }

    @Test
    void changesArePublished() {
        Audit audit = here.bean(Audit.class);
        audit.events.clear();
        LockPause pause = pauses().pause("job", HOUR, "olga", "audited");
        pauses().resume("job", "igor");
        pauses().resume("job", "igor");
        assertThat(audit.events).containsExactly(new LockPaused(pause), new LockResumed(pause, "igor"));
    }

    @Test
    void onlyRunsOfMethodsThatCanBePausedAskRedis() {
        try (RedisServer server = RedisServer.start();
                Locked app = Locked.instance(server.uri().toURI().toString(), "asks:", Jobs.class, Pausable.class)) {
            Jobs jobs = jobs(app);
            jobs.tick();
            jobs.plain();
            assertThat(scripts(server, jobs::plain)).isEqualTo(2);
            assertThat(scripts(server, jobs::throwing)).isEqualTo(3);
            assertThat(scripts(server, jobs::tick)).isEqualTo(3);
            try (Lease busy = app.locks().getLock("job").acquire()) {
                assertThat(scripts(server, jobs::skipping)).isEqualTo(1);
                assertThat(busy.isHeld()).isTrue();
            }
        }
    }

    /** Returns the scripts of a call: the least of three, because the look for overdue ticks can come in between. */
    private static long scripts(RedisServer server, Runnable call) {
        return IntStream.range(0, 3)
                .mapToLong(turn -> scriptsOfOne(server, call))
                .min()
                .orElseThrow();
    }

    private static long scriptsOfOne(RedisServer server, Runnable call) {
        server.resetStats();
        call.run();
        return server.commandStats().getOrDefault("evalsha", 0L);
    }

    @Test
    void scheduledMethodThatHasNothingToReturnIsRefused() {
        assertThatThrownBy(() -> Locked.application(Pausable.class, Counting.class))
                .hasRootCauseInstanceOf(InvalidLockDeclarationException.class)
                .hasStackTraceContaining("a skipped call has nothing to return as int");
    }

    private static LockPauses pauses() {
        return here.bean(LockPauses.class);
    }

    private static Jobs jobs(Locked app) {
        return app.bean(Jobs.class);
    }

    /** Everything can be paused but the lock {@code plain}. */
    static class Pausable implements LockSettings.Source {

        @Override
        public LockSettings named(String name) {
            boolean bypass = name.equals("off");
            return new LockSettings(bypass, null, null, null, null, null, null, null, !name.equals("plain"));
        }
    }

    static class Audit {

        final List<Object> events = new CopyOnWriteArrayList<>();

        @EventListener({LockPaused.class, LockResumed.class})
        void note(Object event) {
            events.add(event);
            throw new IllegalStateException("a listener's own fault");
        }
    }

    static class Jobs {

        static final AtomicInteger RUNS = new AtomicInteger();

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "job")
        public void tick() {
            RUNS.incrementAndGet();
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("ticks")
        public void oncePerTick() {
            RUNS.incrementAndGet();
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "job", fallback = "later")
        public String answeredScheduled() {
            return ran();
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "job")
        public Mono<String> scheduledMono() {
            return Mono.fromSupplier(Jobs::ran);
        }

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP)
        public Optional<String> skipping() {
            return Optional.of(ran());
        }

        @DistributedLock(name = "job", fallback = "later")
        public String answered() {
            return ran();
        }

        String later() {
            return "later";
        }

        @DistributedLock(name = "job")
        public void throwing() {
            ran();
        }

        @DistributedLock(name = "job", waitTime = "30s")
        public void waiting() {
            ran();
        }

        @DistributedLock(name = "job")
        public String around(Runnable body) {
            body.run();
            return "ran";
        }

        @DistributedLock(name = "plain")
        public void plain() {}

        @DistributedLock(name = "off")
        public void off() {}

        private static String ran() {
            RUNS.incrementAndGet();
            return "ran";
        }
    }

    static class Counting {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "counting")
        public int count() {
            return 1;
        }
    }
}
