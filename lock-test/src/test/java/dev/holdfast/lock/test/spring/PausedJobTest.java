package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Scheduled;

/** A job that is paused, on a clock that the test moves. */
@SpringBootTest(classes = PausedJobTest.Application.class, properties = "holdfast.pausable=true")
class PausedJobTest {

    @Autowired
    InMemoryLockClient locks;

    @Autowired
    LockPauses pauses;

    @Autowired
    Job job;

    /** The second time shows that the first one has left no pause. */
    @RepeatedTest(2)
    void jobRunsAgainWhenThePauseIsOver() {
        int before = job.runs();
        job.run();
        assertThat(job.runs()).isEqualTo(before + 1);

        pauses.pause("job", Duration.ofHours(1), "olga", "wrong prices");
        locks.advance(Duration.ofMinutes(59));
        job.run();
        assertThat(job.runs()).isEqualTo(before + 1);
        assertThat(pauses.all()).singleElement().matches(pause -> "olga".equals(pause.by()));

        locks.advance(Duration.ofMinutes(1));
        job.run();
        assertThat(job.runs()).isEqualTo(before + 2);
        assertThat(pauses.all()).isEmpty();

        pauses.pause("job", Duration.ofHours(1), "olga", "left behind");
    }

    @EnableAutoConfiguration
    @Import(Job.class)
    static class Application {}

    static class Job {

        private int runs;

        @Scheduled(cron = "0 0 2 * * *")
        @DistributedLock(name = "job")
        public void run() {
            runs++;
        }

        public int runs() {
            return runs;
        }
    }
}
