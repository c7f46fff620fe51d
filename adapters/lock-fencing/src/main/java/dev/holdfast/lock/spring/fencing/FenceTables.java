package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.LockStartupException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/** The fence tables behind one data source. A data source that routes has one for each database, which its connections tell by their URL. */
final class FenceTables {

    /** The SQLSTATE of a write to a replica. */
    static final String READ_ONLY = "25006";

    private static final boolean CAN_ROUTE = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource", FenceTables.class.getClassLoader());

    private final String name;
    private final String bean;
    private final @Nullable FenceDialect given;
    private final Duration kept;
    private final Map<String, FenceTable> byUrl = new ConcurrentHashMap<>();

    FenceTables(String name, String bean, @Nullable FenceDialect given, Duration kept) {
        this.name = name;
        this.bean = bean;
        this.given = given;
        this.kept = kept;
    }

    /** Finds the table in each database that a data source leads to. */
    static FenceTables find(String name, String bean, DataSource source, @Nullable FenceDialect given) {
        FenceTables tables = new FenceTables(name, bean, given, FenceTable.KEPT);
        for (DataSource each : CAN_ROUTE ? Routes.of(source) : List.of(source)) {
            try (Connection connection = each.getConnection()) {
                tables.of(connection).probe(connection, bean);
            } catch (SQLException e) {
                // Nothing is written to a replica, so nothing is fenced there.
                if (!READ_ONLY.equals(e.getSQLState())) {
                    throw new LockStartupException(
                            "holdfast.fence-table is set, and the data source '" + bean
                                    + "' does not return a connection: " + e.getMessage(),
                            "Start the database first, or correct its address.",
                            e);
                }
            }
        }
        return tables;
    }

    /** Returns the table of a connection's database. */
    FenceTable of(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String url = String.valueOf(database.getURL());
        FenceTable known = byUrl.get(url);
        if (known != null) {
            return known;
        }
        FenceTable created = new FenceTable(name, dialect(database.getDatabaseProductName()), kept);
        FenceTable other = byUrl.putIfAbsent(url, created);
        return other == null ? created : other;
    }

    private FenceDialect dialect(String product) {
        FenceDialect dialect = given == null ? Dialects.of(product) : given;
        if (dialect == null) {
            throw new LockStartupException(
                    "holdfast.fence-table is set, and the data source '" + bean + "' is a database of the kind '"
                            + product + "', whose statements are not known.",
                    "Define a bean of type " + FenceDialect.class.getName() + ", or remove the property.",
                    null);
        }
        return dialect;
    }

    /** Needs Spring's JDBC. */
    private static final class Routes {

        static Collection<DataSource> of(DataSource source) {
            if (!(source instanceof AbstractRoutingDataSource routing)) {
                return List.of(source);
            }
            Collection<DataSource> targets =
                    new LinkedHashSet<>(routing.getResolvedDataSources().values());
            DataSource other = routing.getResolvedDefaultDataSource();
            if (other != null) {
                targets.add(other);
            }
            return targets;
        }
    }
}
