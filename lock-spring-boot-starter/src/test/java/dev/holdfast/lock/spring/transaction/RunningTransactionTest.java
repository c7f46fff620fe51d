package dev.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions of a real database: the next holder of a lock sees what this one has committed. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@ExtendWith(OutputCaptureExtension.class)
class RunningTransactionTest {

    private static final List<String> LOG = new CopyOnWriteArrayList<>();

    @AutoClose
    private static Locked app;

    private static Shop shop;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        app = Locked.application(WatchedDatabase.class, Shop.class);
        shop = app.bean(Shop.class);
        transaction = app.bean(TransactionTemplate.class);
        app.bean(JdbcTemplate.class).execute("create table stock (item varchar primary key)");
    }

    @BeforeEach
    void forget() {
        LOG.clear();
        app.bean(JdbcTemplate.class).update("delete from stock");
    }

    @Test
    void lockOfATransactionalMethodIsFreedAfterItsCommit() {
        shop.storeInATransactionOfItsOwn("a");
        assertThat(LOG).containsExactly("commit while held: true");
        assertThat(app.isHeld("tx:a")).isFalse();
    }

    @Test
    void lockTakenInsideARunningTransactionIsKeptUntilItHasCommitted() {
        transaction.executeWithoutResult(status -> {
            shop.store("b");
            assertThat(app.isHeld("tx:b")).isTrue();
        });
        assertThat(LOG).containsExactly("commit while held: true");
        assertThat(app.isHeld("tx:b")).isFalse();
    }

    @Test
    void tickOfATransactionThatIsRolledBackDoesNotCount() {
        transaction.executeWithoutResult(status -> {
            shop.daily();
            status.setRollbackOnly();
        });
        // The board says what happened, and the record has no tick.
        assertThat(app.record("daily")).startsWith("run ").contains(" failed ").doesNotContain("tick ");
        transaction.executeWithoutResult(status -> shop.daily());
        assertThat(app.record("daily")).startsWith("tick ");
    }

    @Test
    void manyLocksOfOneTransactionAreLoggedOnce(CapturedOutput output) {
        transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 103; i++) {
                shop.touch("many-" + i);
            }
        });
        assertThat(output.getOut().lines())
                .filteredOn(line -> line.contains("keeps more than 100 locks"))
                .singleElement()
                .asString()
                .contains("Shop.touch(");
        assertThat(app.locks().heldLocks()).isEmpty();
    }

    @Test
    void locksOfANestedTransactionAreReleasedWithIt() {
        TransactionTemplate nested = new TransactionTemplate(app.bean(DataSourceTransactionManager.class));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transaction.executeWithoutResult(status -> {
            shop.touch("outer");
            nested.executeWithoutResult(inner -> {
                shop.touch("inner");
                assertThat(app.isHeld("tx:inner")).isTrue();
            });
            assertThat(app.isHeld("tx:inner")).isFalse();
            assertThat(app.isHeld("tx:outer")).isTrue();
            shop.touch("later");
        });
        assertThat(app.isHeld("tx:outer")).isFalse();
        assertThat(app.isHeld("tx:later")).isFalse();
    }

    @Test
    void lockIsFreeAfterARollback() {
        transaction.executeWithoutResult(status -> {
            shop.store("c");
            status.setRollbackOnly();
        });
        assertThat(app.isHeld("tx:c")).isFalse();
        assertThat(app.bean(JdbcTemplate.class).queryForObject("select count(*) from stock", Long.class))
                .isZero();
    }

    @Test
    void lockIsFreeAfterTheBodyThrewAndTheTransactionRolledBack() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> shop.fail("d")))
                .hasMessage("no stock");
        assertThat(app.isHeld("tx:d")).isFalse();
    }

    @Test
    void laterCallInTheSameTransactionReenters() {
        transaction.executeWithoutResult(status -> {
            long first = shop.store("e");
            assertThat(shop.touch("e")).isEqualTo(first);
        });
        assertThat(app.isHeld("tx:e")).isFalse();
    }

    @Test
    void attributeTurnsItOff() {
        transaction.executeWithoutResult(status -> {
            shop.storeAndFree("f");
            assertThat(app.isHeld("tx-free:f")).isFalse();
        });
    }

    @Test
    void lossBeforeTheCommitRollsBack() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    shop.store("g");
                    app.locks().forceRelease("tx:g");
                    // The client finds out, here at once and otherwise at its next renewal; the body does not care.
                    shop.verify("g");
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(app.bean(JdbcTemplate.class).queryForObject("select count(*) from stock", Long.class))
                .isZero();
    }

    static class Shop {

        private final JdbcTemplate jdbc;

        Shop(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Scheduled(cron = "0 0 0 1 1 *")
        @OncePerTick(name = "daily", onFailure = OnFailure.RETRY, waitTime = "10s")
        public void daily() {}

        @Transactional
        @DistributedLock(name = "tx", key = "#item")
        public long storeInATransactionOfItsOwn(String item) {
            jdbc.update("insert into stock values (?)", item);
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "tx", key = "#item")
        public long store(String item) {
            jdbc.update("insert into stock values (?)", item);
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "tx", key = "#item")
        public long touch(String item) {
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "tx", key = "#item")
        public void verify(String item) {
            LockContext.current().verify();
        }

        @DistributedLock(name = "tx", key = "#item")
        public void fail(String item) {
            throw new IllegalStateException("no stock");
        }

        @DistributedLock(name = "tx-free", key = "#item", releaseAfterTransaction = false)
        public void storeAndFree(String item) {
            jdbc.update("insert into stock values (?)", item);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WatchedDatabase extends Database {

        /** Records whether the lock is held just after the database has committed. */
        @Override
        @Bean
        public DataSourceTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource) {
                @Override
                protected void doCommit(DefaultTransactionStatus status) {
                    super.doCommit(status);
                    boolean held = !app.locks().heldLocks().isEmpty()
                            && app.isHeld(app.locks().heldLocks().get(0).lockName());
                    LOG.add("commit while held: " + held);
                }
            };
        }
    }
}
