package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** One data source that leads to several databases. Each of them has a fence table. */
class FenceTableBehindRoutesTest {

    private final Routes routes = new Routes();

    enum Kind {
        H2(Database::empty),
        POSTGRESQL(() -> new PostgreSql().dataSource());

        private final Supplier<DataSource> database;

        Kind(Supplier<DataSource> database) {
            this.database = database;
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionOfAnotherDatabaseInsideOneIsFencedThere(Kind kind) {
        Map<Object, Object> databases = Map.of("first", kind.database.get(), "second", kind.database.get());
        databases.values().forEach(each -> FenceTableTest.Schema.create((DataSource) each));
        try (Locked app = application(databases);
                Lease lease = app.locks().getLock("own", LockKind.REENTRANT).acquire();
                LockContext.Scope scope = LockContext.enter(lease)) {
            TransactionTemplate transaction =
                    new TransactionTemplate(new DataSourceTransactionManager(app.bean(DataSource.class)));
            transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            JdbcTemplate jdbc = new JdbcTemplate(app.bean(DataSource.class));
            routes.present = "first";
            transaction.executeWithoutResult(outer -> {
                jdbc.queryForObject("select 1", Integer.class);
                routes.present = "second";
                transaction.executeWithoutResult(inner -> jdbc.queryForObject("select 1", Integer.class));
            });
            for (Object each : databases.values()) {
                assertThat(new JdbcTemplate((DataSource) each)
                                .queryForObject("select token from holdfast_fence", Long.class))
                        .isEqualTo(lease.fencingToken());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void databaseWithoutATableFailsTheStart(Kind kind) {
        Map<Object, Object> databases = Map.of("first", kind.database.get(), "second", kind.database.get());
        FenceTableTest.Schema.create((DataSource) Objects.requireNonNull(databases.get("first")));
        assertThatExceptionOfType(LockStartupException.class)
                .isThrownBy(() -> application(databases).close())
                .withMessageContaining("has no such table");
    }

    private Locked application(Map<Object, Object> databases) {
        routes.setTargetDataSources(databases);
        return new Locked(
                FenceTableTest.FENCED.andThen(
                        context -> context.registerBean("routes", DataSource.class, () -> routes)),
                FenceTableTest.Work.class);
    }

    private static final class Routes extends AbstractRoutingDataSource {

        private @Nullable String present;

        @Override
        protected @Nullable Object determineCurrentLookupKey() {
            return present;
        }
    }
}
