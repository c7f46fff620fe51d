package dev.holdfast.lock.benchmarks.application;

import dev.holdfast.lock.spring.DistributedLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The part of an application with one locked method. It has the annotations of all libraries, of which only those on the class path exist. */
@Configuration(proxyBeanMethods = false)
public class Locked {

    @Bean
    Bills bills() {
        return new Bills();
    }

    /** The bean with the locked method. */
    public static class Bills {
        /** Does nothing. */
        @DistributedLock(name = "bills")
        @SchedulerLock(name = "bills")
        public void write() {}
    }
}
