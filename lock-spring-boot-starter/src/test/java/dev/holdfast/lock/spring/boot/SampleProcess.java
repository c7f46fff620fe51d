package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import java.io.IOException;
import java.util.UUID;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.Environment;

/** An application whose one annotated method runs until it reads a line. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SampleProcess.Work.class)
class SampleProcess {

    public static void main(String[] args) throws IOException {
        SpringApplication application = new SpringApplicationBuilder(SampleProcess.class)
                .web(WebApplicationType.NONE)
                // It starts beside other tests, on a busy machine.
                .properties("spring.data.redis.timeout=60s", "spring.data.redis.connect-timeout=60s")
                .build();
        ConfigurableApplicationContext context = application.run(args);
        System.out.println("AOT " + AotDetector.useGeneratedArtifacts());
        Work work = context.getBean(Work.class);
        work.callItself(new Order("itself", new Customer(7L, new UUID(0, 1))));
        work.run(new Order("4711", new Customer(7L, new UUID(0, 1))));
    }

    @Bean
    ApplicationListener<ContextClosedEvent> closing() {
        return event -> System.out.println("CLOSING");
    }

    record Order(String id, Customer customer) {}

    record Customer(Long number, UUID account) {}

    static class Work {
        private final Environment environment;

        Work(Environment environment) {
            this.environment = environment;
        }

        void callItself(Order order) {
            System.out.println("ITSELF " + name(order) + " " + (environment != null));
        }

        @DistributedLock(name = "name", key = "#order.id")
        String name(Order order) {
            return LockContext.current().lockName();
        }

        @DistributedLock(name = "work", key = "#order.id")
        void run(Order order) throws IOException {
            Lease lease = LockContext.current();
            System.out.println("HELD " + lease.lockName() + " " + lease.isHeld());
            int ignored = System.in.read();
            System.out.println("DONE " + lease.isHeld());
        }
    }
}
