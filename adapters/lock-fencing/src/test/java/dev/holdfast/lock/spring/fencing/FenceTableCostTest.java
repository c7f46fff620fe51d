package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spring.fencing.FenceTableTest.Schema;
import dev.holdfast.lock.spring.fencing.FenceTableTest.Work;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.Transactions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the fence table adds to a transaction of one update on PostgreSQL, from a pool, under a lock that is held: the same code with and without it, in
 * turn. Not a part of the build: {@code -Dholdfast.fence.cost=4000} is the number of transactions of each.
 */
@EnabledIfSystemProperty(named = FenceTableCostTest.COUNT, matches = "\\d+")
class FenceTableCostTest {

    static final String COUNT = "holdfast.fence.cost";

    @Test
    void fencedTransactionBesideABareOne() {
        int count = Integer.getInteger(COUNT);
        long[] fenced = new long[count];
        long[] bare = new long[count];
        try (Locked app = new Locked(FenceTableTest.FENCED, Pooled.class, Schema.class, Work.class)) {
            Work work = app.bean(Work.class);
            TransactionTemplate transaction = app.bean(TransactionTemplate.class);
            JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
            jdbc.update("insert into article (id, pieces) values ('lamp', 1)");
            Runnable update = () -> transaction.executeWithoutResult(
                    status -> jdbc.update("update article set pieces = pieces + 1 where id = 'lamp'"));
            for (int warm = 0; warm < 2; warm++) {
                for (int i = 0; i < count; i++) {
                    int at = i;
                    work.under("lamp", () -> fenced[at] = time(update));
                    work.unfenced(() -> bare[at] = time(update));
                }
            }
        }
        System.out.printf("transaction, median of %d: bare %d µs, fenced %d µs%n", count, median(bare), median(fenced));
        assertThat(median(fenced)).isPositive();
    }

    private static long time(Runnable work) {
        long begun = System.nanoTime();
        work.run();
        return System.nanoTime() - begun;
    }

    private static long median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / 1000;
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Transactions.class)
    static class Pooled {

        @Bean
        HikariDataSource dataSource() {
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSource(new PostgreSql().dataSource());
            return pool;
        }
    }
}
