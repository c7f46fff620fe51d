package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;

/** An application without AspectJ, whose proxy creator Spring Boot configures after the starter has looked at the definitions. */
class WithoutAspectJTest {

    public static class Shop {

        @DistributedLock(name = "without-aspectj")
        public String pay() {
            return lock();
        }

        public String viaThis() {
            return pay();
        }
    }

    @Test
    void callsAreLockedThroughTheProxyAndPastIt() {
        Contexts.locked(RedisServer.shared())
                .withClassLoader(new FilteredClassLoader("org.aspectj"))
                .withBean(Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Shop.class).pay()).isEqualTo("without-aspectj");
                    assertThat(context.getBean(Shop.class).viaThis()).isEqualTo("without-aspectj");
                });
    }
}
