package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What an application tells of its locks by the properties for it: who is in the way, and who has been for too long. */
class WatchedApplicationTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final RedisServer server = RedisServer.shared();
    private final String id = UUID.randomUUID().toString();

    private ApplicationContextRunner application(String... properties) {
        return Contexts.on(server)
                .withConfiguration(AutoConfigurations.of(LockInterceptorAutoConfiguration.class))
                .withPropertyValues(properties)
                .withBean(Orders.class);
    }

    @Test
    void stacksAreNotRememberedByDefault() {
        application()
                .run(context -> context.getBean(Orders.class)
                        .pack(
                                id,
                                () -> assertThat(context.getBean(LockClient.class)
                                                .heldLocks())
                                        .singleElement()
                                        .satisfies(held ->
                                                assertThat(held.acquiredAt()).isEmpty())));
    }

    @Test
    void refusedCallIsToldWhoHasTheLockByTheNameThatItsInstanceWasGiven() {
        application("holdfast.client-name=${spring.application.name}/7", "spring.application.name=billing")
                .run(holder -> application().run(refused -> {
                    try (Lease lease = held(holder.getBean(LockClient.class))) {
                        assertThatThrownBy(() -> refused.getBean(Orders.class).pack(id, () -> {}))
                                .isInstanceOfSatisfying(
                                        LockNotAcquiredException.class, busy -> assertTells(busy, lease, "billing/7"))
                                .hasMessageContaining("client billing/7");
                    }
                }));
    }

    @Test
    void fallbackIsToldByTheNameOfApplicationHostAndProcess() {
        application("spring.application.name=billing")
                .run(holder -> application().run(refused -> {
                    try (Lease lease = held(holder.getBean(LockClient.class))) {
                        LockNotAcquiredException busy =
                                refused.getBean(Orders.class).packLater(id);
                        String process = ":" + ProcessHandle.current().pid();
                        assertThat(busy.holderDetails().orElseThrow().clientName())
                                .startsWith("billing@")
                                .endsWith(process)
                                .hasSizeGreaterThan("billing@".length() + process.length());
                        assertTells(
                                busy, lease, busy.holderDetails().orElseThrow().clientName());
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

    private static void assertTells(LockNotAcquiredException busy, Lease lease, String clientName) {
        Holder holder = busy.holderDetails().orElseThrow();
        assertThat(holder.clientName()).isEqualTo(clientName);
        assertThat(holder.thread()).hasValue(Thread.currentThread().getId());
        assertThat(holder.fencingToken()).hasValue(lease.fencingToken());
        assertThat(holder.since())
                .isBetween(Instant.now().minus(LIMIT), Instant.now().plusSeconds(1));
        assertThat(busy.remainingLease()).isPresent();
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#id", waitTime = "0")
        public void pack(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "order", key = "#id", waitTime = "0", fallback = "queue")
        public LockNotAcquiredException packLater(String id) {
            throw new IllegalStateException("nobody has " + id);
        }

        LockNotAcquiredException queue(String id, LockNotAcquiredException busy) {
            return busy;
        }
    }
}
