package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A refused call knows who holds the lock. */
class WatchedApplicationTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String id = UUID.randomUUID().toString();

    @Test
    void fallbackIsToldByTheNameOfApplicationHostAndProcess() {
        ApplicationContextRunner application =
                Contexts.locked(RedisServer.shared()).withBean(Orders.class);
        application
                .withPropertyValues("spring.application.name=billing")
                .run(holder -> application.run(refused -> {
                    try (Lease lease = held(holder.getBean(LockClient.class))) {
                        LockNotAcquiredException busy =
                                refused.getBean(Orders.class).packLater(id);
                        Holder told = busy.holderDetails().orElseThrow();
                        String process = ":" + ProcessHandle.current().pid();
                        assertThat(told.clientName())
                                .startsWith("billing@")
                                .endsWith(process)
                                .hasSizeGreaterThan("billing@".length() + process.length());
                        assertThat(told.thread())
                                .hasValue(Thread.currentThread().getId());
                        assertThat(told.fencingToken()).hasValue(lease.fencingToken());
                        assertThat(told.since())
                                .isBetween(
                                        Instant.now().minus(LIMIT),
                                        Instant.now().plusSeconds(1));
                        assertThat(busy.remainingLease()).isPresent();
                    }
                }));
    }

    /** Nothing waits for a client's name to be written. */
    private Lease held(LockClient client) {
        String name = "order:" + id;
        Lease lease = client.getLock(name).acquire();
        Await.until(
                "the holder is named",
                LIMIT,
                () -> client.inspect(name).orElseThrow().holder().clientName() != null);
        return lease;
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#id", waitTime = "0", fallback = "queue")
        public LockNotAcquiredException packLater(String id) {
            throw new IllegalStateException("nobody has " + id);
        }

        LockNotAcquiredException queue(String id, LockNotAcquiredException busy) {
            return busy;
        }
    }
}
