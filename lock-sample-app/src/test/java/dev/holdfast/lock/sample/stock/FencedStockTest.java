package dev.holdfast.lock.sample.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.test.InMemoryLockClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.OptimisticLockingFailureException;

/** Which counts the database accepts. The locks are in memory: no Redis runs. */
// As ShopTest, so that both share one application.
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:shop;MODE=PostgreSQL",
            "shop.answer-time=10ms",
            "shop.report-cron=-",
            "management.health.redis.enabled=false"
        })
class FencedStockTest {

    @Autowired
    private StockRepository stock;

    @Autowired
    private InMemoryLockClient locks;

    @Test
    void staleHolderIsRefusedAndChangesNothing() {
        Lease stale = acquire();
        Stock read = lamps();
        locks.forceRelease("stock:lamps");
        assertThat(stale.verify()).isFalse();
        try (Lease later = acquire()) {
            write(later, 21);
        }
        assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> write(stale, read, 20));
        assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> write(stale, 20));
        assertThat(lamps().quantity()).isEqualTo(21);
    }

    private Lease acquire() {
        return locks.getLock("stock:lamps").acquire();
    }

    private Stock lamps() {
        return stock.findById("lamps").orElseThrow();
    }

    private void write(Lease lease, int quantity) {
        write(lease, lamps(), quantity);
    }

    private void write(Lease lease, Stock read, int quantity) {
        try (LockContext.Scope scope = LockContext.enter(lease)) {
            assertThat(scope).isNotNull();
            stock.save(read.counted(quantity));
        }
    }
}
