package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.JobStarted;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Running a scheduled method over HTTP. The schedules have one tick a year. */
@ExtendWith(OutputCaptureExtension.class)
class RunNowHttpTest {

    private static final String PATH = "/actuator/locks";
    private static final Duration PATIENCE = Await.PATIENCE;

    // The proxy of a bean has fields of its own.
    private static final List<String> runs = new CopyOnWriteArrayList<>();
    private static final List<JobStarted> starts = new CopyOnWriteArrayList<>();
    private static volatile CountDownLatch gate = new CountDownLatch(0);

    private static RedisServer server;
    private static OperatedApplication application;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        application = OperatedApplication.withSecurity(
                List.of(Scheduling.class, Reports.class, Others.class),
                "spring.application.name=shop",
                "spring.data.redis.port=" + server.port(),
                "management.endpoint.locks.access=unrestricted",
                "holdfast.pausable=true",
                "holdfast.locks.off.enabled=false");
    }

    @AfterAll
    static void stop() {
        application.close();
        server.close();
    }

    @BeforeEach
    void forgetTheTick() {
        runs.clear();
        server.cli().del("holdfast:record:{report}");
    }

    private static HttpResponse<String> run(String name, boolean countsAsTick) {
        return application.postAsOperator(
                PATH,
                "{\"name\": \"" + name + "\", \"runNow\": true, \"countsAsTick\": " + countsAsTick
                        + ", \"reason\": \"INC-7\"}");
    }

    @Test
    void runThatCountsIsThatOfThePresentTick(CapturedOutput output) {
        HttpResponse<String> started = run("report", true);
        assertThat(started.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(started.body(), "$.started")).isTrue();
        Await.until("it has run", PATIENCE, () -> runs.contains("ended"));
        Await.until(
                "its lock is free",
                PATIENCE,
                () -> application.locks().inspect("report").isEmpty());

        HttpResponse<String> again = run("report", true);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(JsonPath.<String>read(again.body(), "$.error")).contains("has run already");
        assertThat(runs).containsExactly("begun", "ended");
        assertThat(starts).contains(new JobStarted("report", true, "olga", "INC-7"));
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("INC-7")))
                .singleElement()
                .asString()
                .contains("Reports.report() now, under lock 'report' for 'olga' because: INC-7");
    }

    @Test
    void runThatDoesNotCountLeavesTheTickToTheSchedule() {
        assertThat(run("report", false).statusCode()).isEqualTo(200);
        Await.until("it has run", PATIENCE, () -> runs.contains("ended"));
        assertThat(application.locks().getRecord("report").read().text()).isNull();
    }

    @Test
    void busyJobAnswersWhoRunsIt() {
        gate = new CountDownLatch(1);
        assertThat(run("report", true).statusCode()).isEqualTo(200);
        HttpResponse<String> busy = run("report", false);
        gate.countDown();
        assertThat(busy.statusCode()).isEqualTo(409);
        assertThat(JsonPath.<String>read(busy.body(), "$.runsOn")).startsWith("shop@");
        assertThat(JsonPath.<String>read(busy.body(), "$.since")).startsWith("20");
        Await.until("it has run", PATIENCE, () -> runs.contains("ended"));
    }

    @Test
    void pausedJobDoesNotRun() {
        application.postAsOperator(PATH, "{\"name\": \"report\", \"pauseFor\": \"1h\", \"reason\": \"wrong prices\"}");
        HttpResponse<String> paused = run("report", false);
        application.postAsOperator(PATH, "{\"name\": \"report\", \"pauseFor\": \"0s\"}");
        assertThat(paused.statusCode()).isEqualTo(409);
        assertThat(JsonPath.<String>read(paused.body(), "$.error")).contains("because: wrong prices");
        assertThat(runs).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "typo, false, declares no lock 'typo'",
        "manual, false, No @Scheduled method has the lock 'manual'",
        "two, false, Several @Scheduled methods have the lock 'two'",
        "off, false, is switched off",
        "plain, true, has no 'oncePerTick'"
    })
    void whatCannotBeRunIsABadRequest(String name, boolean countsAsTick, String why) {
        HttpResponse<String> answer = run(name, countsAsTick);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains(why);
    }

    @Test
    void requestSaysWhetherTheRunCountsAndWhy() {
        assertThat(application
                        .postAsOperator(PATH, "{\"name\": \"report\", \"runNow\": true, \"reason\": \"x\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(application
                        .postAsOperator(PATH, "{\"name\": \"report\", \"runNow\": true, \"countsAsTick\": true}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(runs).isEmpty();
    }

    @Test
    void keyOfTheBeanIsEvaluatedAsForTheScheduler() {
        try (Lease other = application.locks().getLock("keyed:west").acquire()) {
            HttpResponse<String> busy = run("keyed", false);
            assertThat(busy.statusCode()).isEqualTo(409);
            assertThat(other.isHeld()).isTrue();
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Reports {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "report", oncePerTick = true, onBusy = OnBusy.SKIP, waitTime = "30s")
        public void report() throws InterruptedException {
            runs.add("begun");
            gate.await();
            runs.add("ended");
        }

        @EventListener
        void started(JobStarted event) {
            starts.add(event);
        }
    }

    static class Others {

        @DistributedLock(name = "manual")
        public void manual() {}

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "two")
        public void one() {}

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "two")
        public void other() {}

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "off")
        public void off() {}

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "plain")
        public void plain() {}

        public String getRegion() {
            return "west";
        }

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "keyed", key = "#root.target.region")
        public void keyed() {}
    }
}
