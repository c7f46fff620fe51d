package dev.holdfast.lock.spring.fencing;

import static dev.holdfast.lock.spring.fencing.FenceTableTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The same on PostgreSQL, where the database decides between two writes at one time. */
class FencedEntityOnPostgreSqlTest extends FencedEntityTest {

    @Override
    Class<?> database() {
        return PostgreSql.class;
    }

    @Test
    void frozenHolderWhoseUpdateWaitsForTheLaterOneIsRefused() {
        CompletableFuture<?>[] later = new CompletableFuture<?>[1];
        assertRefused(() -> stock.change("lamp", article -> {
            app.locks().forceRelease("stock:lamp");
            CountDownLatch written = new CountDownLatch(1);
            later[0] = CompletableFuture.runAsync(() -> writeAndCommitWhenOtherWaits(written));
            awaitQuietly(written);
            article.pieces = 100;
        }));
        later[0].join();
        assertThat(pieces("lamp")).isEqualTo(7);
    }

    private void writeAndCommitWhenOtherWaits(CountDownLatch written) {
        transaction.executeWithoutResult(status -> {
            stock.change("lamp", article -> article.pieces = 7);
            entities.flush();
            written.countDown();
            await().until(() ->
                    jdbc.queryForObject("select count(*) from pg_locks where not granted", Integer.class) == 1);
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
