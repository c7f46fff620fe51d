package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

class LockFenceTableAutoConfigurationTest {

    private static final String TABLE = "holdfast.fence-table=holdfast_fence";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, LockFenceTableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true");

    private final ApplicationContextRunner withTable =
            application.withPropertyValues(TABLE).withBean(CreatesTable.class);

    @Test
    void dataSourcesAreUntouchedWithoutTheProperty() {
        application.run(context -> {
            assertThat(context).doesNotHaveBean(FencedDataSources.class);
            assertThat(AopUtils.isAopProxy(context.getBean(DataSource.class))).isFalse();
        });
    }

    @Test
    void locksWithoutSpringBootFenceNothingWithoutTheProperty() {
        try (Locked app = Locked.application(Database.class, LockFenceTableAutoConfiguration.class)) {
            assertThat(app.context().getBeanNamesForType(FencedDataSources.class))
                    .isEmpty();
        }
    }

    @Test
    void fencedPoolIsStillFoundByItsOwnClass() {
        withTable.run(context -> assertThat(context.getBean(HikariDataSource.class))
                .satisfies(pool -> assertThat(AopUtils.isAopProxy(pool)).isTrue())
                .satisfies(pool -> assertThat(pool.getMaximumPoolSize()).isEqualTo(10))
                .satisfies(pool ->
                        assertThat(pool.isWrapperFor(HikariDataSource.class)).isTrue())
                .satisfies(pool -> assertThat(DataSourceUnwrapper.unwrap(pool, HikariDataSource.class))
                        .isNotNull()));
    }

    @Test
    void metricsSeeTheConnectionsOfAFencedPool() {
        withTable.run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            try (var connection = pool.getConnection()) {
                assertThat(context.getBeanProvider(DataSourcePoolMetadataProvider.class)
                                .orderedStream()
                                .map(provider -> provider.getDataSourcePoolMetadata(pool))
                                .filter(Objects::nonNull)
                                .findFirst()
                                .map(DataSourcePoolMetadata::getActive))
                        .contains(1);
                assertThat(connection.isValid(1)).isTrue();
            }
        });
    }

    @Test
    void missingTableFailsTheStartWithItsStatement() {
        assertRefused(
                application.withPropertyValues(TABLE),
                List.of("'holdfast_fence'", "'dataSource' has no such table"),
                "create table holdfast_fence (lock_name varchar(512) primary key, token bigint not null);");
    }

    /** A name has up to 512 characters, and a token 63 bits. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lock_name varchar(100) primary key, token bigint not null",
                "lock_name varchar(512) primary key, token int not null",
                "lock_name varchar(512) primary key, token double precision not null"
            })
    void tableWhoseColumnsAreTooSmallFailsTheStart(String columns) {
        for (DataSource each : List.of(Database.empty(), new PostgreSql().dataSource())) {
            new JdbcTemplate(each).execute("create table holdfast_fence (" + columns + ")");
            assertRefused(
                    application.withPropertyValues(TABLE).withBean("own", DataSource.class, () -> each),
                    List.of("'holdfast_fence'", "'own'", "512 characters"),
                    "lock_name varchar(512) primary key, token bigint not null");
        }
    }

    @Test
    void dataSourcesToFenceWithoutATableFailTheStart() {
        assertRefused(
                application.withPropertyValues("holdfast.fence-data-sources=dataSource"),
                List.of("holdfast.fence-data-sources", "[dataSource]", "holdfast.fence-table"),
                "holdfast.fence-table");
    }

    /** As of a database that needs another statement. */
    @Test
    void dialectOfTheApplicationMovesTheRows() {
        List<String> moved = new ArrayList<>();
        FenceDialect h2 = Objects.requireNonNull(Dialects.of("H2"));
        FenceDialect own = new FenceDialect() {
            @Override
            public String create(String table) {
                return "create table " + table + " of my own";
            }

            @Override
            public boolean move(Connection connection, String table, String lockName, long token, int seconds)
                    throws SQLException {
                moved.add(lockName);
                return h2.move(connection, table, lockName, token, seconds);
            }
        };
        assertRefused(
                application.withPropertyValues(TABLE).withBean(FenceDialect.class, () -> own),
                List.of(),
                "create table holdfast_fence of my own;");
        withTable.withBean(FenceDialect.class, () -> own).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(moved).isNotEmpty().allMatch(name -> name.startsWith("holdfast:"));
        });
    }

    @Test
    void databaseWithoutADialectFailsTheStart() {
        assertRefused(
                application
                        .withPropertyValues(TABLE)
                        .withBean("derby", DataSource.class, LockFenceTableAutoConfigurationTest::unknownDatabase),
                List.of("'derby'", "of the kind 'Unknown DB'"),
                FenceDialect.class.getName());
    }

    private static DataSource unknownDatabase() {
        return new DelegatingDataSource(Database.empty()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                DatabaseMetaData metadata = connection.getMetaData();
                return proxy(
                        Connection.class,
                        connection,
                        "getMetaData",
                        proxy(DatabaseMetaData.class, metadata, "getDatabaseProductName", "Unknown DB"));
            }
        };
    }

    private static <T> T proxy(Class<T> type, T target, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) ->
                        called.getName().equals(method) ? answer : called.invoke(target, arguments)));
    }

    /** The files for Flyway and Liquibase, and the page. */
    @Test
    void manualHasTheStatementsThatCreateTheTable() throws IOException {
        String h2 = create("H2");
        String mySql = create("MySQL");
        assertThat(create("PostgreSQL")).isEqualTo(h2);
        assertThat(create("MariaDB")).isEqualTo(mySql);
        assertThat(manual("fencing.md")).contains("\n" + h2 + ";\n", "   " + mySql + ";\n");
        assertThat(manual("fence-table/V1__holdfast_fence.sql")).contains("\n" + h2 + ";\n");
        assertThat(manual("fence-table/holdfast_fence.yaml")).contains("sql: " + h2 + "\n", "sql: " + mySql + "\n");
    }

    private static String create(String product) {
        return Objects.requireNonNull(Dialects.of(product)).create("holdfast_fence");
    }

    private static String manual(String page) throws IOException {
        return Files.readString(Path.of("../../docs", page));
    }

    @Test
    void nameThatIsNoTableFailsTheStart() {
        assertRefused(
                application.withPropertyValues("holdfast.fence-table=fence; drop table x"),
                List.of("'fence; drop table x'"));
    }

    @Test
    void severalDataSourcesNeedAName() {
        assertRefused(
                withTable
                        .withBean("first", DataSource.class, Database::empty)
                        .withBean("second", DataSource.class, Database::empty),
                List.of("several data sources"),
                "holdfast.fence-data-sources",
                "first",
                "second");
    }

    @Test
    void onlyTheNamedDataSourceIsFenced() {
        application
                .withPropertyValues(TABLE, "holdfast.fence-data-sources=second")
                .withBean("first", DataSource.class, Database::empty)
                .withBean("second", DataSource.class, () -> {
                    DataSource source = Database.empty();
                    FenceTableTest.Schema.create(source);
                    return source;
                })
                .run(context -> {
                    assertThat(AopUtils.isAopProxy(context.getBean("first"))).isFalse();
                    assertThat(AopUtils.isAopProxy(context.getBean("second"))).isTrue();
                });
    }

    @Test
    void eachOfTwoDataSourcesHasItsOwnRows() {
        DataSource[] both = {Database.empty(), Database.empty()};
        for (DataSource each : both) {
            FenceTableTest.Schema.create(each);
        }
        try (Locked app = new Locked(
                FenceTableTest.FENCED
                        .andThen(Locked.property("holdfast.fence-data-sources", "first,second"))
                        .andThen(context -> {
                            context.registerBean("first", DataSource.class, () -> both[0]);
                            context.registerBean("second", DataSource.class, () -> both[1]);
                        }),
                FenceTableTest.Work.class)) {
            app.bean(FenceTableTest.Work.class).under("lamp", () -> {
                TransactionTemplate outer = transaction(app, "first");
                outer.executeWithoutResult(first -> {
                    rows(app, "first");
                    // The row of this database is not kept by the transaction of the other one.
                    transaction(app, "second").executeWithoutResult(second -> rows(app, "second"));
                });
            });
            assertThat(rows(app, "first")).isOne();
            assertThat(rows(app, "second")).isOne();
        }
    }

    private static TransactionTemplate transaction(Locked app, String source) {
        return new TransactionTemplate(
                new DataSourceTransactionManager((DataSource) app.context().getBean(source)));
    }

    private static int rows(Locked app, String source) {
        return Objects.requireNonNull(
                new JdbcTemplate((DataSource) app.context().getBean(source))
                        .queryForObject("select count(*) from holdfast_fence", Integer.class));
    }

    @Test
    void nameWithoutADataSourceFailsTheStart() {
        assertRefused(withTable.withPropertyValues("holdfast.fence-data-sources=ledger"), List.of("'ledger'"));
    }

    private static void assertRefused(
            ApplicationContextRunner application, List<String> description, String... action) {
        application.run(context -> {
            LockStartupException refusal = refusal(context.getStartupFailure());
            description.forEach(part -> assertThat(refusal.description()).contains(part));
            List.of(action).forEach(part -> assertThat(refusal.action()).contains(part));
        });
    }

    private static LockStartupException refusal(Throwable failure) {
        Throwable cause = failure;
        while (!(cause instanceof LockStartupException)) {
            cause = Objects.requireNonNull(
                    cause.getCause(),
                    () -> "Not refused by locks: " + NestedExceptionUtils.getMostSpecificCause(failure));
        }
        return (LockStartupException) cause;
    }

    /** What a migration does. */
    static final class CreatesTable implements InitializingBean {
        private final DataSource[] sources;

        CreatesTable(DataSource... sources) {
            this.sources = sources;
        }

        @Override
        public void afterPropertiesSet() {
            for (DataSource each : sources) {
                FenceTableTest.Schema.create(each);
            }
        }
    }
}
