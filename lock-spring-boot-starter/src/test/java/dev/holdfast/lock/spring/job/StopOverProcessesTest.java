package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;

/** Three processes. One runs a job, one waits to run it, and one asks the run to stop. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "StopRequestTest of lock-test, and JobBoardTest")
@OneAtATime
class StopOverProcessesTest {

    private static ChildJvm start(String prefix) throws IOException {
        String uri = RedisServer.shared().uri().toURI().toString();
        return ChildJvm.start(List.of(), List.of(), StopOverProcessesTest.class, uri, prefix);
    }

    private static long number(ChildJvm process, String what) throws IOException {
        process.say(what);
        return Long.parseLong(process.await(what).split(" ")[1]);
    }

    @Test
    void runIsStoppedByAnotherProcessWithinOneRenewalAndTheNextRunIsNot() throws Exception {
        String prefix = "stop-" + System.nanoTime() + ":";
        try (ChildJvm first = start(prefix);
                ChildJvm second = start(prefix);
                ChildJvm operator = start(prefix)) {
            first.say("run");
            first.await("runs");
            second.say("run");

            long before = number(first, "renewals");
            assertThat(number(operator, "asked")).isEqualTo(1);
            long told = Long.parseLong(first.await("told").split(" ")[1]);
            // One renewal may have been under way.
            assertThat(told - before).isBetween(1L, 2L);

            second.await("runs");
            long begun = number(second, "renewals");
            Await.until("two renewals", Await.PATIENCE, () -> number(second, "renewals") >= begun + 2);
            assertThat(number(second, "stops")).isZero();

            assertThat(number(operator, "asked")).isEqualTo(1);
            second.await("told");
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Locked instance = Locked.instance(args[0], args[1], Job.class)) {
            Job job = instance.bean(Job.class);
            for (String line = told.readLine(); line != null; line = told.readLine()) {
                switch (line) {
                    case "run" -> new Thread(() -> job.run(instance)).start();
                    case "renewals" ->
                        System.out.println(
                                "renewals " + instance.locks().statistics().renewals());
                    case "stops" -> System.out.println("stops " + (Job.STOPPED.isDone() ? 1 : 0));
                    default ->
                        System.out.println(
                                "asked " + (instance.bean(JobBoard.class).requestStop("job", "olga") ? 1 : 0));
                }
            }
        }
    }

    static class Job {

        static final CompletableFuture<Void> STOPPED = new CompletableFuture<>();

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "job", waitTime = "1m")
        public void run(Locked instance) {
            Lease lease = LockContext.current();
            lease.onStopRequested(() -> STOPPED.complete(null));
            System.out.println("runs");
            STOPPED.join();
            System.out.println("told " + instance.locks().statistics().renewals());
        }
    }
}
