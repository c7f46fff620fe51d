package dev.holdfast.lock.benchmarks.application;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with one bean. */
@Configuration
@EnableAutoConfiguration
public class Plain {

    @Bean
    Reports reports() {
        return new Reports();
    }

    static class Reports {
        void write() {}
    }
}
