package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that the fence table fences, with native SQL. A stale holder is one whose lock passes on while its method runs. */
@TestInstance(Lifecycle.PER_CLASS)
class FenceTableTest {

    static final Consumer<AnnotationConfigApplicationContext> FENCED = Locked.property(
                    "holdfast.fence-table", "holdfast_fence")
            .andThen(context -> context.register(LockFenceTableAutoConfiguration.class));

    /** One for each task: the threads of a pool could all wait for each other. */
    static final Executor OTHER_THREADS = new SimpleAsyncTaskExecutor();

    @AutoClose
    final Locked app = new Locked(FENCED, database(), Schema.class, Work.class, Overriding.class);

    final Work work = app.bean(Work.class);
    final JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
    final TransactionTemplate transaction = app.bean(TransactionTemplate.class);

    Class<?> database() {
        return Database.class;
    }

    @BeforeEach
    void fill() {
        jdbc.update("delete from holdfast_fence");
        jdbc.update("delete from article");
        jdbc.update("insert into article (id, pieces) values ('lamp', 1)");
    }

    @Test
    void transactionMovesTheRowToItsToken() {
        work.under("lamp", () -> {
            transaction.executeWithoutResult(status -> write(5));
            assertThat(token("stock:lamp")).isEqualTo(LockContext.current().fencingToken());
        });
        assertThat(pieces()).isEqualTo(5);
    }

    @Test
    void staleHolderIsRefusedBeforeItsFirstWrite() {
        work.under("lamp", () -> {
            passOn("lamp");
            assertRefused(() -> transaction.executeWithoutResult(status -> write(100)))
                    .withMessageContainingAll(
                            "A later holder of the lock 'stock:lamp' has already written",
                            Long.toString(token("stock:lamp")),
                            Long.toString(LockContext.current().fencingToken()));
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void staleHolderThatCatchesTheRefusalCannotWriteEither() {
        work.under("lamp", () -> {
            passOn("lamp");
            transaction.executeWithoutResult(status -> {
                for (int attempt = 0; attempt < 2; attempt++) {
                    assertRefused(() -> write(100));
                }
            });
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void lockInARunningTransactionFencesTheNextStatement() {
        transaction.executeWithoutResult(status -> {
            write(2);
            work.under("lamp", () -> {
                passOnWithoutWriting("lamp");
                assertRefused(() -> write(100));
            });
            status.setRollbackOnly();
        });
    }

    @Test
    void writeAfterTheMethodOfALockThatTheTransactionKeepsIsFenced() {
        long[] token = new long[1];
        transaction.executeWithoutResult(status -> {
            work.under("lamp", () -> token[0] = LockContext.current().fencingToken());
            write(3);
        });
        assertThat(token("stock:lamp")).isEqualTo(token[0]);
    }

    @Test
    void readOnlyTransactionMovesNoRow() {
        TransactionTemplate reading = template(TransactionDefinition.PROPAGATION_REQUIRED);
        reading.setReadOnly(true);
        work.under("lamp", () -> {
            int pieces = reading.execute(status -> pieces());
            assertThat(pieces).isEqualTo(1);
        });
        assertThat(rows()).isZero();
    }

    /**
     * Inside, a new transaction does not wait for the outer one of its lease, nor does an update without a transaction. The database gives back the row
     * of the outer transaction, but what was committed inside it stays.
     */
    @ParameterizedTest
    @ValueSource(
            ints = {TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED})
    void whatIsCommittedInsideATransactionThatRollsBackIsFenced(int propagation) {
        work.under("lamp", () -> {
            app.locks().forceRelease("stock:lamp");
            elsewhere(() -> work.under(
                            "lamp",
                            () -> transaction.executeWithoutResult(outer -> {
                                pieces();
                                template(propagation).executeWithoutResult(inner -> write(8));
                                outer.setRollbackOnly();
                            })))
                    .join();
            assertRefused(() -> transaction.executeWithoutResult(status -> write(100)));
        });
        assertThat(pieces()).isEqualTo(8);
    }

    /** Its fence could not be committed before the outer transaction, which had begun. */
    @Test
    void newTransactionInsideOneThatWroteBeforeItsLockIsRefused() {
        transaction.executeWithoutResult(outer -> {
            jdbc.update("insert into article (id, pieces) values ('outer', 1)");
            work.under("lamp", () -> {
                pieces();
                assertThatExceptionOfType(CannotAcquireLockException.class)
                        .isThrownBy(() -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                .executeWithoutResult(inner -> write(100)))
                        .withMessageContaining("executed a statement before it acquired the lock 'stock:lamp'");
            });
        });
        assertThat(pieces()).isEqualTo(1);
    }

    @Test
    void newTransactionInsideOneThatWroteBeforeItsLockIsFencedByAnEarlierOneOfTheLease() {
        transaction.executeWithoutResult(outer -> {
            jdbc.update("insert into article (id, pieces) values ('outer', 1)");
            try (Lease lease = app.locks().getLock("own", LockKind.REENTRANT).acquire();
                    LockContext.Scope scope = LockContext.enter(lease)) {
                template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(first -> write(3));
                pieces();
                template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(second -> write(4));
            }
            outer.setRollbackOnly();
        });
        assertThat(pieces()).isEqualTo(4);
        assertThat(token("own")).isPositive();
    }

    @Test
    void newTransactionUnderALaterLeaseInsideOneUnderAnEarlierIsRefused() {
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    jdbc.update("insert into article (id, pieces) values ('outer', 1)");
                    app.locks().forceRelease("stock:lamp");
                    try (Lease later = app.locks()
                                    .getLock("stock:lamp", LockKind.REENTRANT)
                                    .acquire();
                            LockContext.Scope scope = LockContext.enter(later)) {
                        assertThatExceptionOfType(CannotAcquireLockException.class)
                                .isThrownBy(() -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                        .executeWithoutResult(inner -> write(100)))
                                .withMessageContaining("wrote under an earlier lease of the lock 'stock:lamp'");
                    }
                }));
    }

    @Test
    void rowStaysMovedWhenANestedTransactionRollsBack() {
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    template(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                        write(100);
                        nested.setRollbackOnly();
                    });
                    assertThat(pieces()).isEqualTo(1);
                }));
        assertThat(rows()).isOne();
    }

    /** A transaction inside it may have been committed. */
    @Test
    void rolledBackTransactionLeavesItsFence() {
        work.under(
                "lamp",
                () -> transaction.executeWithoutResult(status -> {
                    write(100);
                    status.setRollbackOnly();
                }));
        assertThat(pieces()).isEqualTo(1);
        assertThat(rows()).isOne();
    }

    /** What JDBC hands out leads back to the fenced connection. */
    @Test
    void connectionOfEverythingThatAConnectionGivesIsFenced() throws SQLException {
        try (Connection connection = app.bean(DataSource.class).getConnection();
                Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("select 1")) {
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(prepared.getConnection()).isSameAs(connection);
            assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
            assertThat(connection.getMetaData().unwrap(DatabaseMetaData.class).getConnection())
                    .isSameAs(connection);
            assertThat(statement.unwrap(Statement.class)).isSameAs(statement);
        }
        DataSource source = app.bean(DataSource.class);
        if (source.isWrapperFor(DataSource.class)) {
            assertThat(source.unwrap(DataSource.class)).isSameAs(source);
        }
    }

    @Test
    void updateOfARowOfAResultIsFenced() {
        work.under("lamp", () -> {
            passOn("lamp");
            Lease stale = LockContext.current();
            elsewhere(() -> transaction.executeWithoutResult(status -> updateResultUnder(stale)))
                    .join();
        });
        assertThat(pieces()).isEqualTo(7);
    }

    /** The lock comes after the query. */
    private void updateResultUnder(Lease lease) {
        Connection connection = DataSourceUtils.getConnection(app.bean(DataSource.class));
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("select id, pieces from article where id = 'lamp'")) {
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThat(rows.next()).isTrue();
            rows.updateInt("pieces", 100);
            try (LockContext.Scope scope = LockContext.enter(lease)) {
                assertRefused(rows::updateRow);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void updateWithoutATransactionIsFenced() {
        work.under("lamp", () -> write(4));
        assertThat(rows()).isOne();
        work.under("lamp", () -> {
            passOn("lamp");
            assertRefused(() -> write(100));
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void failedUpdateWithoutATransactionLeavesTheConnectionAsItWas() {
        work.under(
                "lamp",
                () -> assertThatExceptionOfType(RuntimeException.class)
                        .isThrownBy(() -> jdbc.update("update article set pieces = 'none'")));
        work.under("lamp", () -> write(4));
        assertThat(pieces()).isEqualTo(4);
    }

    @Test
    void queryWithoutATransactionIsChecked() {
        work.under("lamp", () -> {
            passOn("lamp");
            assertRefused(this::pieces);
        });
    }

    @Test
    void eachOfSeveralLocksHasARow() {
        work.underBoth(List.of("lamp", "chair"), () -> transaction.executeWithoutResult(status -> write(6)));
        assertThat(jdbc.queryForList("select lock_name from holdfast_fence order by lock_name", String.class))
                .containsExactly("stock:chair", "stock:lamp");
    }

    @Test
    void codeWithoutALockThatFencesMovesNoRow() {
        Runnable write = () -> transaction.executeWithoutResult(status -> write(6));
        write.run();
        work.unfenced(write);
        work.composed(write);
        work.reading(write);
        assertThat(rows()).isZero();
    }

    @Test
    void otherLocksOfTheCodeStillFence() {
        work.under("lamp", () -> work.unfenced(() -> transaction.executeWithoutResult(status -> write(6))));
        assertThat(rows()).isOne();
    }

    /** The annotation of the overridden method does not apply, because the override declares its own lock. */
    @Test
    void lockOfAnOverrideFencesAlthoughTheOverriddenMethodIsUnfenced() {
        app.bean(Overriding.class).under(() -> transaction.executeWithoutResult(status -> write(6)));
        assertThat(token("overriding")).isPositive();
    }

    @Test
    void leaseThatTheCodeHasEnteredItselfFences() {
        try (Lease lease = app.locks().getLock("own", LockKind.REENTRANT).acquire();
                LockContext.Scope scope = LockContext.enter(lease)) {
            transaction.executeWithoutResult(status -> write(6));
            assertThat(token("own")).isEqualTo(lease.fencingToken());
        }
    }

    /** Several holders have one of these at a time, so that their tokens say nothing about the order of their writes. */
    @Test
    void sharedLeaseThatTheCodeHasEnteredItselfMovesNoRow() {
        try (Lease reader = app.locks().getLock("own-rw", LockKind.READ).acquire();
                LockContext.Scope reading = LockContext.enter(reader);
                Lease permit = app.locks().getSemaphore("own-permits", 2).acquire();
                LockContext.Scope permitted = LockContext.enter(permit)) {
            transaction.executeWithoutResult(status -> write(6));
        }
        assertThat(rows()).isZero();
    }

    @Test
    void leaseThatIsCarriedToAnotherThreadFencesThere() {
        work.under("lamp", () -> {
            Lease lease = LockContext.current();
            elsewhere(() -> {
                        try (LockContext.Scope scope = LockContext.enter(lease)) {
                            transaction.executeWithoutResult(status -> write(5));
                        }
                    })
                    .join();
            assertThat(token("stock:lamp")).isEqualTo(lease.fencingToken());
            passOn("lamp");
            elsewhere(() -> {
                        try (LockContext.Scope scope = LockContext.enter(lease)) {
                            assertRefused(() -> transaction.executeWithoutResult(status -> write(100)));
                        }
                    })
                    .join();
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void writeAfterTheCommitUnderALockThatIsStillKeptIsFenced() {
        transaction.executeWithoutResult(status -> {
            work.under("lamp", () -> write(2));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    passOn("lamp");
                    assertRefused(() -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(inner -> write(100)));
                }
            });
        });
        assertThat(pieces()).isEqualTo(7);
    }

    @Test
    void connectionThatIsClosedWithAnOpenTransactionLeavesTheRowToTheNextOne() {
        work.under("lamp", () -> {
            try (Connection connection = app.bean(DataSource.class).getConnection();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.executeUpdate("update article set pieces = 100");
                connection.rollback();
                statement.executeUpdate("update article set pieces = 100");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            transaction.executeWithoutResult(status -> write(5));
            assertThat(token("stock:lamp")).isEqualTo(LockContext.current().fencingToken());
        });
    }

    @Test
    void failureOfAStatementIsSeenAlsoIfItsTransactionCannotBeRolledBack() throws Exception {
        try (Lease lease = app.locks().getLock("own", LockKind.REENTRANT).acquire();
                LockContext.Scope scope = LockContext.enter(lease);
                Connection connection = app.bean(DataSource.class).getConnection()) {
            Connection broken = FencedConnection.around(
                    without("rollback", connection), new FenceTables("holdfast_fence", "own", null, FenceTable.KEPT));
            try (Statement statement = broken.createStatement()) {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> statement.executeUpdate("update no_table set pieces = 1"))
                        .satisfies(failure -> assertThat(failure.getMessage().toLowerCase(Locale.ROOT))
                                .contains("no_table"))
                        .satisfies(failure ->
                                assertThat(failure.getSuppressed()[0]).hasMessage("broken"));
            }
        }
    }

    /** As in a distributed transaction, whose manager commits. */
    @Test
    void transactionThatCannotCommitByItselfIsFenced() throws Exception {
        try (Lease lease = app.locks().getLock("own", LockKind.REENTRANT).acquire();
                LockContext.Scope scope = LockContext.enter(lease);
                Connection connection = app.bean(DataSource.class).getConnection()) {
            Connection distributed = FencedConnection.around(
                    without("commit", connection), new FenceTables("holdfast_fence", "own", null, FenceTable.KEPT));
            distributed.setAutoCommit(false);
            try (Statement statement = distributed.createStatement()) {
                statement.executeUpdate("update article set pieces = 3");
            }
            connection.commit();
            assertThat(token("own")).isEqualTo(lease.fencingToken());
        }
    }

    private static Connection without(String step, Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                FenceTableTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(step)) {
                        throw new SQLException("broken");
                    }
                    return method.invoke(connection, arguments);
                });
    }

    @Test
    void oldRowsAreRemovedAndYoungOnesStay() throws Exception {
        jdbc.update("insert into holdfast_fence (lock_name, token) values ('dead', 1)");
        work.under("lamp", () -> transaction.executeWithoutResult(status -> write(6)));
        try (Connection connection = app.bean(DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            table(connection, FenceTable.KEPT).removeOldOfNextPage(connection);
        }
        assertThat(jdbc.queryForList("select lock_name from holdfast_fence", String.class))
                .containsExactly("stock:lamp");
    }

    @Test
    void tokenIsTheTimeOfItsGrantTimesTheTokensOfAGrant() {
        assertThat(FenceTable.TOKENS_FOR_EACH_MICROSECOND).isEqualTo(FencingTokens.FOR_EACH_GRANT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void writesRemoveOldRows(boolean inTransactions) {
        jdbc.update("insert into holdfast_fence (lock_name, token) values ('dead', 1)");
        work.under("lamp", () -> {
            for (int i = 0; i < 100; i++) {
                if (inTransactions) {
                    transaction.executeWithoutResult(status -> write(6));
                } else {
                    write(6);
                }
            }
        });
        assertThat(rows()).isOne();
    }

    @Test
    void holderWhoseRowMayHaveBeenRemovedNeedsTheConfirmationOfRedis() throws Exception {
        try (Connection connection = app.bean(DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            // Every token is old.
            FenceTable table = table(connection, Duration.ofDays(-1));
            Lease lease = app.locks().getLock("old", LockKind.REENTRANT).acquire();
            FencingLock held = new FencingLock("old", lease, Duration.ofSeconds(1));
            assertThat(table.move(connection, held, 1)).isTrue();
            app.locks().forceRelease("old");
            assertRefused(() -> table.move(connection, held, 1)).withMessageContaining("Redis does not confirm");
            connection.rollback();
        }
    }

    private static FenceTable table(Connection connection, Duration kept) throws Exception {
        String product = connection.getMetaData().getDatabaseProductName();
        return new FenceTable("holdfast_fence", Objects.requireNonNull(Dialects.of(product)), kept);
    }

    static ThrowableAssertAlternative<OptimisticLockingFailureException> assertRefused(ThrowingCallable work) {
        return assertThatExceptionOfType(OptimisticLockingFailureException.class)
                .isThrownBy(work);
    }

    /** Lets another holder get the lock and write. */
    void passOn(String article) {
        app.locks().forceRelease("stock:" + article);
        elsewhere(() -> work.under(article, () -> transaction.executeWithoutResult(status -> write(7))))
                .join();
    }

    /** Lets another holder get the lock and commit, without a write that would wait for the caller's transaction. */
    private void passOnWithoutWriting(String article) {
        app.locks().forceRelease("stock:" + article);
        elsewhere(() -> work.under(article, () -> transaction.executeWithoutResult(status -> pieces())))
                .join();
    }

    TransactionTemplate template(int propagation) {
        TransactionTemplate template = new TransactionTemplate(app.bean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    void write(int pieces) {
        jdbc.update("update article set pieces = ? where id = 'lamp'", pieces);
    }

    int pieces() {
        return Objects.requireNonNull(
                jdbc.queryForObject("select pieces from article where id = 'lamp'", Integer.class));
    }

    private int rows() {
        return Objects.requireNonNull(jdbc.queryForObject("select count(*) from holdfast_fence", Integer.class));
    }

    private long token(String lock) {
        return CompletableFuture.supplyAsync(
                        () -> Objects.requireNonNull(jdbc.queryForObject(
                                "select token from holdfast_fence where lock_name = ?", Long.class, lock)),
                        OTHER_THREADS)
                .join();
    }

    /** Returns what another thread sees, which has neither the lock nor the transaction of this one. */
    static <T> T supplied(Supplier<T> supplier) {
        return CompletableFuture.supplyAsync(supplier, OTHER_THREADS).join();
    }

    /** Runs work on another thread, which has neither the lock nor the transaction of this one. */
    static CompletableFuture<Void> elsewhere(Runnable work) {
        return CompletableFuture.runAsync(work, OTHER_THREADS);
    }

    static class Work {

        @DistributedLock(name = "stock", key = "#article", onLost = OnLost.REPORT)
        public void under(String article, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "stock", key = "#article", waitTime = "1s")
        public void impatient(String article, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "stock", key = "#article", waitTime = "5s")
        public void patient(String article, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "stock", key = "#article", waitTime = "10m")
        public void tenacious(String article, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "stock", keys = "#articles")
        public void underBoth(List<String> articles, Runnable work) {
            work.run();
        }

        @Unfenced
        @DistributedLock(name = "free")
        public void unfenced(Runnable work) {
            work.run();
        }

        @Free
        public void composed(Runnable work) {
            work.run();
        }

        @DistributedLock(name = "shared", kind = LockKind.READ)
        public void reading(Runnable work) {
            work.run();
        }
    }

    @Unfenced
    @DistributedLock(name = "composed")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Free {}

    static class Overridden {

        @Unfenced
        @DistributedLock(name = "overridden")
        public void under(Runnable work) {
            work.run();
        }
    }

    static class Overriding extends Overridden {

        @Override
        @DistributedLock(name = "overriding")
        public void under(Runnable work) {
            work.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Schema {

        @Bean
        InitializingBean tables(DataSource source) {
            return () -> {
                create(source);
                new JdbcTemplate(source).execute("create table article (id varchar(20) primary key, pieces int)");
            };
        }

        /** Creates the fence table, as a migration does. */
        static void create(DataSource source) {
            JdbcTemplate jdbc = new JdbcTemplate(source);
            String product = jdbc.execute(
                    (Connection connection) -> connection.getMetaData().getDatabaseProductName());
            jdbc.execute(Objects.requireNonNull(Dialects.of(Objects.requireNonNull(product)))
                    .create("holdfast_fence"));
        }
    }
}
