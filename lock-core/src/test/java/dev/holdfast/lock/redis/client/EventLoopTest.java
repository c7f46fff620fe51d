package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.scheduler.Schedulers;

/** Blocking calls on threads that serve others meanwhile: they may acquire a free lock, but they do not wait for a busy one. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class EventLoopTest {

    private static final MultiThreadIoEventLoopGroup NETTY =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private static final DefaultEventExecutor WORKER = new DefaultEventExecutor();

    private static final AcquireOptions LONG = AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1));

    @AutoClose
    private final LockClient client = Waits.client(RedisServer.shared()).build();

    @AutoClose
    private final LockClient other = Waits.client(RedisServer.shared()).build();

    private final String name = "event-loop-" + UUID.randomUUID();

    @AfterAll
    static void stop() {
        NETTY.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        WORKER.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static List<Executor> eventLoops() {
        return List.of(Schedulers.parallel()::schedule, NETTY::execute);
    }

    private static final List<ThrowingConsumer<LeaseLock>> CALLS_THAT_WAIT = List.of(
            LeaseLock::lock,
            lock -> lock.lock(Duration.ofSeconds(30)),
            LeaseLock::lockInterruptibly,
            lock -> lock.tryLock(1, TimeUnit.MINUTES),
            lock -> lock.tryLock(Duration.ofMinutes(1)),
            LeaseLock::acquire,
            lock -> lock.acquire(LONG),
            lock -> lock.tryAcquire(LONG));

    private static @Nullable Object on(Executor thread, Callable<?> call) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result.orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private void fails(Executor eventLoop, Callable<?> call) {
        assertThatThrownBy(() -> on(eventLoop, call))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(name, "must not block", "acquireAsync", "boundedElastic");
    }

    @Test
    void callThatWouldWaitFailsAtOnce() {
        try (Lease held = other.getLock(name).acquire()) {
            for (Executor eventLoop : eventLoops()) {
                assertThat(CALLS_THAT_WAIT)
                        .allSatisfy(call -> fails(eventLoop, () -> {
                            call.accept(client.getLock(name));
                            return "waited";
                        }));
            }
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(client.waitingLocks()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfLockFailsAtOnce(ContractKind kind) {
        String fit = kind.fit(name);
        try (Lease held = kind.excluding(other, fit).acquire()) {
            for (Executor eventLoop : eventLoops()) {
                fails(eventLoop, () -> kind.lock(client, fit).acquire());
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void refusalSaysWhoHasTheLock() {
        try (Lease held = other.getLock(name).acquire()) {
            assertThatThrownBy(
                            () -> on(NETTY::execute, () -> client.getLock(name).acquire()))
                    .hasRootCauseInstanceOf(LockNotAcquiredException.class)
                    .rootCause()
                    .hasMessageContaining("held by");
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void tryWithoutAWaitAnswersAsElsewhere() {
        try (Lease held = other.getLock(name).acquire()) {
            for (Executor eventLoop : eventLoops()) {
                assertThat(on(eventLoop, () -> client.getLock(name).tryLock())).isEqualTo(false);
                assertThat(on(eventLoop, () -> client.getLock(name).tryAcquire().isPresent()))
                        .isEqualTo(false);
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void freeLockIsAcquiredWithAtMostOneWarning() {
        try (LogLines log = LogLines.record()) {
            for (Executor eventLoop : eventLoops()) {
                on(eventLoop, () -> {
                    LeaseLock lock = client.getLock(name);
                    lock.lock();
                    lock.lock();
                    assertThat(lock.holdCount()).isEqualTo(2);
                    lock.unlock();
                    lock.unlock();
                    return null;
                });
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("must not block"))
                    .hasSizeLessThan(2);
        }
    }

    @Test
    void threadsThatMayBlockWait() {
        for (Executor thread : List.<Executor>of(Schedulers.boundedElastic()::schedule, WORKER)) {
            CompletableFuture<@Nullable Object> waiting;
            try (Lease held = other.getLock(name).acquire()) {
                waiting = CompletableFuture.supplyAsync(() -> on(thread, () -> {
                    client.getLock(name).acquire(LONG).close();
                    return "acquired";
                }));
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(waiting.orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("acquired");
        }
    }
}
