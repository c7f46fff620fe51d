package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContextManager;

/** Spring's test framework keeps a context for all tests with equal configurations. Nothing of ours makes two of them different. */
class CachedContextTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        static Bills bills() {
            return new Bills();
        }
    }

    static class Bills {
        @DistributedLock(name = "bills")
        public void write() {}
    }

    @SpringBootTest(classes = Application.class)
    static class First {}

    @SpringBootTest(classes = Application.class)
    static class Second {}

    @SpringBootTest(classes = Application.class)
    @AutoConfigureHoldfastTest
    static class ThirdWithLocks {}

    @SpringBootTest(classes = Application.class)
    @AutoConfigureHoldfastTest
    static class FourthWithLocks {}

    @Test
    void equalTestsShareOneContext() throws Exception {
        assertThat(contextOf(Second.class)).isSameAs(contextOf(First.class));
    }

    @Test
    void equalTestsWithTheAnnotationForSlicesShareOneContext() throws Exception {
        assertThat(contextOf(FourthWithLocks.class)).isSameAs(contextOf(ThirdWithLocks.class));
    }

    /** Runs what Spring runs around a test, with all listeners. */
    private static ApplicationContext contextOf(Class<?> test) throws Exception {
        TestContextManager manager = new TestContextManager(test);
        manager.beforeTestClass();
        ApplicationContext context = manager.getTestContext().getApplicationContext();
        manager.afterTestClass();
        return context;
    }
}
