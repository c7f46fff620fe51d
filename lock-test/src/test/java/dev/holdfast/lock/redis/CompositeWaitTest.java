package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a lock made of locks waits, in virtual time. */
@Timeout(Await.TEST_SECONDS)
class CompositeWaitTest {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofMillis(20);

    private final VirtualClock clock = new VirtualClock();
    private final MemoryRedis server = new MemoryRedis(clock, Instant.EPOCH, Runnable::run);
    private final AtomicBoolean silent = new AtomicBoolean();

    /** No answer comes while the server is silent. */
    private final Traffic traffic = new Traffic() {
        @Override
        public <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
            if (!silent.get()) {
                return Traffic.executed(command);
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            clock.after(
                    COMMAND_TIMEOUT,
                    () -> answer.completeExceptionally(RedisFailure.simulated(Kind.NO_ANSWER, "no answer")));
            return answer;
        }
    };

    private final RedisGateway.Opener opener = new RedisGateway.Opener() {
        @Override
        public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
            return new MemoryGateway(server, traffic, ticker);
        }

        @Override
        public Background background() {
            return virtualBackground();
        }
    };

    /** The steps of locks made of locks take place on the test's clock. */
    private Background virtualBackground() {
        return (Background) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Background.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "nanoTime" -> clock.now();
                    case "compositeSteps" -> clock.scheduler();
                    default -> method.invoke(Background.SYSTEM, args);
                });
    }

    private LockClient client(RedisGateway.Opener redis) {
        return RedisLockClient.builder(RedisSource.simulated(redis))
                .checkAtStart(false)
                .pollInterval(Duration.ofMillis(600))
                .clock(clock::now)
                .scheduler(clock.scheduler())
                .callbackExecutor(Runnable::run)
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    /** One member is granted, and Redis falls silent before the other is asked again: neither that request nor the release is answered. */
    @Test
    void callerWaitsOneCommandTimeoutAtMostBeyondItsWaitIfRedisFallsSilent() {
        LockClient other = client((settings, timer, ticker) -> new MemoryGateway(server, Traffic.DIRECT, ticker));
        Lease busy = other.getLock("b").acquire(AcquireOptions.defaults().lease(Duration.ofHours(1)));
        LockClient locks = client(opener);
        CompletableFuture<Lease> wanted = MultiLock.of(List.of(locks.getLock("a"), locks.getLock("b")))
                .acquireAsync(AcquireOptions.defaults().waitAtMost(WAIT))
                .toCompletableFuture();
        Duration waited = Duration.ZERO;
        while (!wanted.isDone()) {
            clock.advance(STEP);
            waited = waited.plus(STEP);
            silent.set(waited.compareTo(WAIT.dividedBy(2)) > 0);
        }

        assertThat(wanted).isCompletedExceptionally();
        // The request was still under way when the wait ended.
        assertThat(waited).isGreaterThan(WAIT.plus(STEP)).isLessThanOrEqualTo(WAIT.plus(COMMAND_TIMEOUT));

        silent.set(false);
        clock.advance(COMMAND_TIMEOUT.multipliedBy(2));
        assertThat(other.getLock("a").tryAcquire()).isPresent();
        assertThat(busy.isHeld()).isTrue();
    }
}
