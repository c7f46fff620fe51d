package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** What happens to locks, as events of the application. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class LockEventsTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String name = "events-" + UUID.randomUUID();
    private final Hearing hearing = new Hearing();
    private final ApplicationContextRunner application =
            Contexts.on(RedisServer.shared()).withBean(Hearing.class, () -> hearing);

    @Test
    void acquiredBusyAndReleasedAreHeardInOrder() {
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            try (Lease lease = client.getLock(name).acquire()) {
                assertThat(client.getLock(name)
                                .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                        .isEmpty();
                assertThat(lease.isHeld()).isTrue();
            }
            Await.until("all three are heard", LIMIT, () -> hearing.heard.size() == 3);
            assertThat(hearing.heard)
                    .allMatch(event -> event.lockName().equals(name))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("Acquired", "TimedOut", "Released");
        });
    }

    static class Hearing {

        final List<LockEvent> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void hear(LockEvent event) {
            heard.add(event);
        }
    }
}
