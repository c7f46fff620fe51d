package dev.holdfast.lock.sample;

import dev.holdfast.lock.spring.interceptor.LockInterceptionConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The shop. Locks need nothing here: the starter is on the class path. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
@Import(LockInterceptionConfiguration.class)
public class SampleApplication {

    /**
     * Starts one instance.
     *
     * @param args Spring Boot's
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }
}
