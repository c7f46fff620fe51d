package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Declarations that fail startup, and that no test of the starter has. */
class StartupTest {

    private static void assertRefused(Class<?> bean, String reason) {
        new ApplicationContextRunner()
                .withUserConfiguration(SettingsTest.Application.class)
                .withPropertyValues("spring.application.name=shop", "spring.data.redis.port=1")
                .withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(InvalidLockDeclarationException.class)
                        .hasStackTraceContaining(reason));
    }

    @Test
    void interruptOfAnAsynchronousResultFailsStartup() {
        assertRefused(Interrupted.class, "a loss cannot interrupt a body that has left its thread");
    }

    @Test
    void nameWithControlCharactersFailsStartup() {
        assertRefused(OddName.class, "the name contains control characters");
    }

    static class Interrupted {

        @DistributedLock(name = "report", onLost = OnLost.INTERRUPT)
        public CompletableFuture<Void> report() {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class OddName {

        @DistributedLock(name = "re\nport")
        public void report() {}
    }
}
