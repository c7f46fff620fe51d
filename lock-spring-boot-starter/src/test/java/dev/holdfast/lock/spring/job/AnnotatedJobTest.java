package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job that every instance of an application schedules and one of them runs. */
class AnnotatedJobTest {

    @Test
    void threeInstancesRunEachTickOnce() {
        String prefix = "jobs-" + System.nanoTime() + ":";
        List<Locked> instances = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                instances.add(Locked.instance(prefix, Job.class));
            }
            for (int tick = 0; tick < 4; tick++) {
                List<Integer> ran = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    // Each instance has another clock, and another one is the first to tick.
                    int instance = (tick + i) % 3;
                    instances.get(instance).bean(Job.class).run(() -> ran.add(instance));
                }
                assertThat(ran).containsExactly(tick % 3);
                // Instead of waiting for the end of the minimum hold.
                assertThat(instances.get(0).locks().forceRelease("job")).isTrue();
            }
        } finally {
            instances.forEach(Locked::close);
        }
    }

    static class Job {

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP, minHold = "1m")
        public void run(Runnable work) {
            work.run();
        }
    }
}
