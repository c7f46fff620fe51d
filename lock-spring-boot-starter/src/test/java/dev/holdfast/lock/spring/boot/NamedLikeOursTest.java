package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.RedisServer;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the application whose names begin like those of the starter. */
class NamedLikeOursTest {

    private final ApplicationContextRunner application = Contexts.locked(RedisServer.shared());

    @Test
    void objectThatSpringCreatesIsOneOfTheApplication() {
        application.withBean("holdfastAlerts", Alerts.class).run(context -> check(context.getBean(Alerts.class)));
    }

    @Test
    void objectThatCodeMakesIsOneOfTheApplication() {
        application.withUserConfiguration(Made.class).run(context -> check(context.getBean(Alerts.class)));
    }

    private static void check(Alerts alerts) {
        assertThat(alerts.atStart()).isEqualTo("constructed");
        assertThat(alerts.send()).isEqualTo("alerts");
    }

    static class Alerts {
        private String atStart = "nothing";

        @PostConstruct
        void begin() {
            atStart = "constructed";
        }

        public String atStart() {
            return atStart;
        }

        @DistributedLock(name = "alerts")
        public String send() {
            return lock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Made {
        @Bean
        Alerts holdfastAlerts() {
            return new Alerts();
        }
    }
}
