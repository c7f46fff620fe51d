package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.test.autoconfigure.DataRedisTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Test slices of an application: those about Redis have locks, others need neither. */
class SlicesTest {

    @Nested
    @DataRedisTest
    @ContextConfiguration(classes = Application.class)
    class OfRedis {

        @DynamicPropertySource
        static void server(DynamicPropertyRegistry registry) {
            registry.add("spring.data.redis.host", () -> "127.0.0.1");
            registry.add("spring.data.redis.port", () -> RedisServer.shared().port());
        }

        @Test
        void hasLocks(@Autowired LockClient locks) {
            assertThat(Contexts.locksOn(RedisServer.shared(), locks)).isTrue();
        }
    }

    @Nested
    @WebMvcTest(controllers = Greeting.class, properties = "spring.data.redis.port=1")
    @ContextConfiguration(classes = {Application.class, Greeting.class})
    class OfTheWeb {

        @Test
        void startsWithoutRedis(@Autowired MockMvcTester web, @Autowired ObjectProvider<LockClient> locks) {
            assertThat(web.get().uri("/greeting")).hasStatusOk();
            assertThat(locks.getIfAvailable()).isNull();
        }

        @Test
        void answersABusyLockAsTheApplicationDoes(@Autowired MockMvcTester web) {
            assertThat(web.get().uri("/busy")).hasStatus(409).hasHeader("Retry-After", "1");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @RestController
    static class Greeting {

        @GetMapping("/greeting")
        String greeting() {
            return "Good day";
        }

        @GetMapping("/busy")
        String busy() {
            throw new LockNotAcquiredException("greeting", Duration.ZERO, null, null);
        }
    }
}
