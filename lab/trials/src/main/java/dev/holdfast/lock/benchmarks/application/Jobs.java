package dev.holdfast.lock.benchmarks.application;

import dev.holdfast.lock.spring.OncePerTick;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The part of an application with twenty jobs that are not due. Each has a lock of its own, which is named after its class. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@Import({
    Jobs.Job1.class,
    Jobs.Job2.class,
    Jobs.Job3.class,
    Jobs.Job4.class,
    Jobs.Job5.class,
    Jobs.Job6.class,
    Jobs.Job7.class,
    Jobs.Job8.class,
    Jobs.Job9.class,
    Jobs.Job10.class,
    Jobs.Job11.class,
    Jobs.Job12.class,
    Jobs.Job13.class,
    Jobs.Job14.class,
    Jobs.Job15.class,
    Jobs.Job16.class,
    Jobs.Job17.class,
    Jobs.Job18.class,
    Jobs.Job19.class,
    Jobs.Job20.class
})
public class Jobs {

    /** A job, with the annotations of all libraries, of which only those on the class path exist. */
    public abstract static class Job {
        /** Does nothing. */
        @Scheduled(cron = "0 0 3 29 2 *")
        @OncePerTick("{class}")
        @SchedulerLock(name = "job")
        public void run() {}
    }

    static class Job1 extends Job {}

    static class Job2 extends Job {}

    static class Job3 extends Job {}

    static class Job4 extends Job {}

    static class Job5 extends Job {}

    static class Job6 extends Job {}

    static class Job7 extends Job {}

    static class Job8 extends Job {}

    static class Job9 extends Job {}

    static class Job10 extends Job {}

    static class Job11 extends Job {}

    static class Job12 extends Job {}

    static class Job13 extends Job {}

    static class Job14 extends Job {}

    static class Job15 extends Job {}

    static class Job16 extends Job {}

    static class Job17 extends Job {}

    static class Job18 extends Job {}

    static class Job19 extends Job {}

    static class Job20 extends Job {}
}
