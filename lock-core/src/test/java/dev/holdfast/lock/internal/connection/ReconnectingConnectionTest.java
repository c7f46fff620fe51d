package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.VirtualClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a client connects and connects again, on a clock that the test moves. */
@Timeout(60)
class ReconnectingConnectionTest {

    private static final ConnectionSettings SETTINGS = ConnectionSettings.forLease(Duration.ofSeconds(30));
    private static final Duration OLD_LIMIT = SETTINGS.commandTimeout().plus(SETTINGS.connectTimeout());

    private final VirtualClock clock = new VirtualClock();
    private final RedisClient client = RedisClient.create(RedisServer.shared().uri());

    @AfterEach
    void shutDown() {
        client.shutdown();
    }

    private ReconnectingConnection<StatefulRedisConnection<String, String>> open(
            Callable<StatefulRedisConnection<String, String>> opener, ThreadFactory threads) {
        return new ConnectionOpener(Timer.on(clock.scheduler()), threads, SETTINGS)
                .open("test", opener, false, connection -> {});
    }

    private static void awaitOpen(ReconnectingConnection<?> link) {
        Await.until("the connection is open", Duration.ofSeconds(30), () -> link.currentOrNull() != null);
    }

    @Test
    void firstAttemptOfABusyProgramIsWaitedForWithoutAWarning() {
        CountDownLatch classesAreLoaded = new CountDownLatch(1);
        try (LogLines log = LogLines.record();
                var link = open(
                        () -> {
                            classesAreLoaded.await();
                            return client.connect();
                        },
                        Thread::new)) {
            link.start();
            clock.advance(OLD_LIMIT.multipliedBy(3));
            assertThat(link.connection().toCompletableFuture()).isNotDone();

            classesAreLoaded.countDown();

            awaitOpen(link);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void firstAttemptIsGivenUpInTheEnd() {
        try (var link = open(
                () -> {
                    new CountDownLatch(1).await();
                    return client.connect();
                },
                Thread::new)) {
            link.start();
            CompletableFuture<?> waiting = link.connection().toCompletableFuture();

            clock.advance(SETTINGS.firstConnectTimeout());

            assertThatThrownBy(waiting::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("no connection within 10 s");
        }
    }

    /** A thread cannot be created, or it cannot be started. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void programThatWasOutOfThreadsOnceConnectsNevertheless(boolean isCreated) {
        AtomicInteger refusals = new AtomicInteger(2);
        ThreadFactory exhausted = task -> {
            boolean refused = refusals.getAndDecrement() > 0;
            if (refused && !isCreated) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(task) {
                @Override
                public void start() {
                    if (refused) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                }
            };
        };
        try (var link = open(client::connect, exhausted)) {
            link.start();
            assertThat(link.connection().toCompletableFuture()).isCompletedExceptionally();

            clock.advance(SETTINGS.reconnectDelay().multipliedBy(2));

            awaitOpen(link);
        }
    }

    @Test
    void whoeverWaitsForAConnectionIsToldOutsideTheMonitor() throws Exception {
        CountDownLatch mayFail = new CountDownLatch(1);
        try (var link = open(
                () -> {
                    mayFail.await();
                    throw new IllegalStateException("no server");
                },
                Thread::new)) {
            link.start();
            CompletableFuture<Boolean> insideMonitor = link.connection()
                    .handle((connection, failure) -> Thread.holdsLock(link))
                    .toCompletableFuture();

            mayFail.countDown();

            assertThat(insideMonitor.get(30, TimeUnit.SECONDS)).isFalse();
        }
    }
}
