package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What {@code holdfast.failover-grace} is to annotated methods. */
class FailoverGracePropertyTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    @Test
    void noPolicyRunsAMethodWithoutItsLockWhileHoldersMaySpeak() {
        try (RedisServer server = RedisServer.start()) {
            Contexts.locked(server)
                    .withPropertyValues("holdfast.failover-grace=5m", "holdfast.wait-time=5s")
                    .withBean(Jobs.class)
                    .run(context -> {
                        context.getBean(LockClient.class)
                                .connected()
                                .toCompletableFuture()
                                .join();
                        RUNS.set(0);
                        Throwable thrown =
                                catchThrowable(() -> context.getBean(Jobs.class).proceeding());

                        assertThat(thrown).isInstanceOf(LockNotYetGrantedException.class);
                        assertThat(RUNS).hasValue(0);
                    });
        }
    }

    @Test
    void graceTooShortForTheWatchdogTimeoutIsRefusedAtStartup() {
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.failover-grace=44s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("holdfast.failover-grace")
                        .hasMessageContaining("44 s")
                        .hasMessageContaining("one and a half times holdfast.watchdog-timeout"));
    }

    static class Jobs {

        @DistributedLock(name = "job", onUnavailable = OnUnavailable.PROCEED)
        public void proceeding() {
            RUNS.incrementAndGet();
        }
    }
}
