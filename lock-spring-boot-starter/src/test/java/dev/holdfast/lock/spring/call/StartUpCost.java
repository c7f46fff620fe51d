package dev.holdfast.lock.spring.call;

import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.FreeLocks;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/**
 * Starts an application in this JVM and prints how much time it took on processors. With the argument {@code locked}, one of its beans has a locked
 * method; without it, none. To compare two versions, run each of them with its classes on the class path, in turn.
 */
final class StartUpCost {

    private StartUpCost() {}

    public static void main(String[] arguments) {
        Class<?> bean = arguments.length == 0 ? Plain.class : Orders.class;
        new SpringApplicationBuilder(Application.class, bean)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "logging.level.root=error")
                .run()
                .close();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println("CPU " + TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime()));
        System.exit(0);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        LockClient locks() {
            return FreeLocks.client();
        }
    }

    static class Plain {
        @Transactional
        public void pay(long id) {}
    }

    static class Orders {
        @Transactional
        @DistributedLock(name = "order", key = "#id")
        public void pay(long id) {}
    }
}
