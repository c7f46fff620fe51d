package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log handler is foreign code: however long it takes for a line, it delays no renewal. */
@Timeout(60)
class SlowLogHandlerTest {

    private static final Duration LEASE = Duration.ofMillis(1_500);

    private static final Logger LOGGER = Logger.getLogger("dev.holdfast.lock");

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();
    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains("ended without unlocking")) {
                writing.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void open() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        LOGGER.removeHandler(handler);
    }

    @Test
    void lineThatTakesThreeSecondsCostsNoOtherLease() throws Exception {
        try (LockClient client =
                Waits.client(server).watchdogTimeout(LEASE).listener(listener).build()) {
            Lease healthy = Waits.held(client, Waits.name("healthy"));
            String abandoned = Waits.name("abandoned");
            Thread holder = new Thread(() -> client.getLock(abandoned).lock());
            holder.start();
            holder.join();
            writing.await();

            // Time is the subject: the line takes twice as long as the lease lasts.
            Pause.of(Duration.ofSeconds(3));

            assertThat(healthy.isHeld()).isTrue();
            assertThat(listener.losses).allMatch(loss -> loss.lockName().equals(abandoned));
            goOn.countDown();
            healthy.close();
        }
    }
}
