package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.lock.spring.fixture.Transactions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The same on PostgreSQL, which shows who waits for whom. */
class FenceTableOnPostgreSqlTest extends FenceTableTest {

    @Override
    Class<?> database() {
        return OnPostgreSql.class;
    }

    @Test
    void laterHolderWaitsForTheOpenTransactionOfAnEarlierOne() {
        work.under("lamp", () -> {
            CompletableFuture<?> later = transaction.execute(status -> {
                pieces();
                CompletableFuture<?> next = elsewhere(() -> passOn("lamp"));
                await().until(this::someoneWaits);
                write(100);
                return next;
            });
            later.join();
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void waitForTheRowEndsWithTheWaitTimeOfTheLock() {
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    pieces();
                    app.locks().forceRelease("stock:lamp");
                    elsewhere(() -> work.impatient(
                                    "lamp",
                                    () -> assertThatExceptionOfType(CannotAcquireLockException.class)
                                            .isThrownBy(() -> transaction.executeWithoutResult(other -> write(7)))
                                            .withMessageContaining(
                                                    "Another transaction under the lock 'stock:lamp' has its row in"
                                                            + " holdfast_fence, and did not end within")))
                            .join();
                }));
    }

    @Test
    void waitForTheRowIsWhatTheCallHasLeft() {
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    pieces();
                    CompletableFuture<Duration> waited = new CompletableFuture<>();
                    CompletableFuture<Void> next = elsewhere(() -> work.patient("lamp", () -> {
                        long begun = System.nanoTime();
                        assertThatExceptionOfType(CannotAcquireLockException.class)
                                .isThrownBy(() -> transaction.executeWithoutResult(other -> write(7)));
                        waited.complete(Duration.ofNanos(System.nanoTime() - begun));
                    }));
                    await().until(() -> app.locks().statistics().waiting() == 1);
                    // Of its five seconds. The time itself is what the test is about.
                    await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
                    app.locks().forceRelease("stock:lamp");
                    assertThat(waited.join()).isBetween(Duration.ofSeconds(1), Duration.ofMillis(4_500));
                    next.join();
                }));
    }

    @Test
    void waitForTheRowEndsWithTheTimeoutOfTheTransaction() {
        TransactionTemplate hurried = template(TransactionDefinition.PROPAGATION_REQUIRED);
        hurried.setTimeout(1);
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    pieces();
                    app.locks().forceRelease("stock:lamp");
                    long begun = System.nanoTime();
                    elsewhere(() -> work.tenacious(
                                    "lamp",
                                    () -> assertThatExceptionOfType(CannotAcquireLockException.class)
                                            .isThrownBy(() -> hurried.executeWithoutResult(other -> write(7)))
                                            .withMessageContaining("has its row in holdfast_fence")))
                            .join();
                    // The lock would let it wait for ten minutes.
                    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(60));
                }));
    }

    private boolean someoneWaits() {
        return CompletableFuture.supplyAsync(
                        () -> jdbc.queryForObject("select count(*) from pg_locks where not granted", Integer.class) > 0,
                        OTHER_THREADS)
                .join();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({PostgreSql.class, Transactions.class})
    static class OnPostgreSql {}
}
