package dev.holdfast.lock.internal.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.background.Threads;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.proxy.Acceptor;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.VirtualClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a client connects and connects again, on a clock that the test moves. */
@Timeout(Await.TEST_SECONDS)
class ReconnectingConnectionTest {

    private static final ConnectionSettings SETTINGS = ConnectionSettings.forLease(Duration.ofSeconds(30));

    private static final Duration LIMIT = Await.PATIENCE;

    private final VirtualClock clock = new VirtualClock();
    private final List<StatefulRedisConnection<String, String>> opened = new CopyOnWriteArrayList<>();
    private final RedisClient client = RedisClient.create(RedisServer.shared().uri());
    private ExecutorService attempts;

    @AfterEach
    void shutDown() {
        client.shutdown();
    }

    private ReconnectingConnection<StatefulRedisConnection<String, String>> open(
            Callable<StatefulRedisConnection<String, String>> opener, ThreadFactory threads) {
        attempts = Threads.oneForEach("test", threads);
        return new ReconnectingConnection<>(
                "test", opener, attempts, new AtomicLong(), Timer.on(clock.scheduler(), clock), SETTINGS, opened::add);
    }

    private static void awaitOpen(ReconnectingConnection<?> link) {
        Await.until("the connection is open", Await.PATIENCE, () -> link.currentOrNull() != null);
    }

    @Test
    void connectionThatNobodyNeedsIsNotOpened() {
        AtomicInteger attempts = new AtomicInteger();
        try (var link = open(client::connect, counting(attempts))) {
            link.replace();
            assertThat(attempts).hasValue(0);

            assertThat(link.connection().toCompletableFuture()).succeedsWithin(LIMIT);
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
            link.open();
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
            return refused ? ended() : new Thread(task);
        };
        try (var link = open(client::connect, exhausted)) {
            link.open();
            assertThat(link.connection().toCompletableFuture()).isCompletedExceptionally();

            clock.advance(SETTINGS.reconnectDelay().multipliedBy(2));

            awaitOpen(link);
        }
    }

    /** Returns a thread that cannot be started. An executor of newer JDKs does not call an overridden {@code start}. */
    private static Thread ended() {
        Thread thread = new Thread(() -> {});
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return thread;
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
            link.open();
            CompletableFuture<Boolean> insideMonitor = link.connection()
                    .handle((connection, failure) -> Thread.holdsLock(link))
                    .toCompletableFuture();

            mayFail.countDown();

            assertThat(insideMonitor.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isFalse();
        }
    }

    @Test
    void connectionThatIsOfNoUseIsReplacedOnceForEachPause() {
        AtomicInteger attempts = new AtomicInteger();
        try (var link = open(client::connect, counting(attempts))) {
            link.open();
            for (int round = 1; round <= 5; round++) {
                int connections = round;
                Await.until("a new connection", LIMIT, () -> opened.size() == connections && isLast(link));
                for (int refusal = 0; refusal < 100; refusal++) {
                    link.suspect(opened.get(round - 1));
                }
                assertThat(attempts).hasValue(round);
                clock.advance(SETTINGS.reconnectDelay());
                assertThat(attempts).hasValue(round + 1);
            }
        }
    }

    @Test
    void connectionThatBreaksWhenItIsOpenIsReplacedAfterThePause() {
        AtomicInteger attempts = new AtomicInteger();
        try (var link = open(client::connect, counting(attempts))) {
            link.open();
            Await.until("a connection", LIMIT, () -> isLast(link));
            opened.get(0).close();
            Await.until("its end is noticed", LIMIT, () -> link.currentOrNull() == null);
            assertThat(attempts).hasValue(1);
            assertThat(link.connection().toCompletableFuture()).isNotDone();

            clock.advance(SETTINGS.reconnectDelay());

            Await.until("the next connection", LIMIT, () -> opened.size() == 2 && isLast(link));
        }
    }

    @Test
    void onlyTheLastOfTheReplacedConnectionsStaysOpenForItsAnswers() {
        try (var link = open(client::connect, Thread::new)) {
            link.open();
            for (int round = 1; round <= 4; round++) {
                int connections = round;
                clock.advance(SETTINGS.reconnectDelay());
                Await.until("a new connection", LIMIT, () -> opened.size() == connections && isLast(link));
                if (round < 4) {
                    link.replace();
                }
            }
            Await.until(
                    "the first two are closed",
                    LIMIT,
                    () -> opened.stream()
                            .map(StatefulRedisConnection::isOpen)
                            .toList()
                            .equals(List.of(false, false, true, true)));
        }
    }

    /** What began before may lead to where the address led before. */
    @Test
    void connectionThatIsWantedDuringAnAttemptIsOpenedAfterIt() {
        CountDownLatch addressHasMoved = new CountDownLatch(1);
        try (var link = open(
                () -> {
                    addressHasMoved.await();
                    return client.connect();
                },
                Thread::new)) {
            link.open();
            link.replace();
            addressHasMoved.countDown();
            Await.until("the first connection", LIMIT, () -> isLast(link));
            link.replace();

            clock.advance(SETTINGS.reconnectDelay());

            Await.until("the second connection", LIMIT, () -> opened.size() == 2 && isLast(link));
            clock.advance(SETTINGS.reconnectDelay());
            assertThat(opened).as("nothing has moved since the second began").hasSize(2);
        }
    }

    private boolean isLast(ReconnectingConnection<?> link) {
        return !opened.isEmpty() && link.currentOrNull() == opened.get(opened.size() - 1);
    }

    private static ThreadFactory counting(AtomicInteger threads) {
        return task -> {
            threads.incrementAndGet();
            return new Thread(task);
        };
    }

    /** A server that closes a connection at once may reset it before the client has read why. */
    @Test
    void refusalIsNamedThoughAConnectionWasResetBeforeIt() throws IOException {
        AtomicInteger connections = new AtomicInteger();
        try (Acceptor server = Acceptor.start("full", 0, connection -> {
                    if (connections.incrementAndGet() % 2 == 1) {
                        connection.setSoLinger(true, 0);
                    } else {
                        connection.getInputStream().read();
                        connection.getOutputStream().write("-ERR max number of clients reached\r\n".getBytes(US_ASCII));
                    }
                });
                var link = open(() -> client.connect(RedisURI.create("127.0.0.1", server.port())), Thread::new)) {
            link.open();
            assertThat(link.connection().toCompletableFuture())
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .withStackTraceContaining("max number of clients");
        }
    }

    /** The event loops may be shut down after the close. */
    @Test
    void attemptThatFailsAfterTheCloseIsNotRepeated() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ReconnectingConnection<StatefulRedisConnection<String, String>> link = open(
                () -> {
                    calls.incrementAndGet();
                    begun.countDown();
                    closed.await();
                    throw new RedisConnectionException("failed", new IOException("Connection reset"));
                },
                Thread::new);
        link.open();
        begun.await();
        link.close();
        closed.countDown();
        awaitAttempts();
        assertThat(calls).hasValue(1);
    }

    @Test
    void attemptWhoseThreadRunsOnlyAfterTheCloseDoesNotConnect() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch closed = new CountDownLatch(1);
        ReconnectingConnection<StatefulRedisConnection<String, String>> link = open(
                () -> {
                    calls.incrementAndGet();
                    return client.connect();
                },
                attempt -> new Thread(() -> {
                    Await.until("the client is closed", LIMIT, () -> closed.getCount() == 0);
                    attempt.run();
                }));
        link.open();
        link.close();
        closed.countDown();
        awaitAttempts();
        assertThat(calls).hasValue(0);
    }

    private void awaitAttempts() throws InterruptedException {
        attempts.shutdown();
        assertThat(attempts.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }
}
