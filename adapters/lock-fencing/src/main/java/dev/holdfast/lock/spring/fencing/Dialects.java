package dev.holdfast.lock.spring.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The databases for which the fence table needs nothing from the application. */
final class Dialects {

    private static final FenceDialect POSTGRESQL = FenceDialect.of(
            "create table %s (lock_name varchar(512) primary key, token bigint not null)",
            "insert into %s as f (lock_name, token) values (?, ?)"
                    + " on conflict (lock_name) do update set token = excluded.token where f.token <= excluded.token");

    private static final FenceDialect H2 = FenceDialect.of(
            "create table %s (lock_name varchar(512) primary key, token bigint not null)",
            "merge into %s f using (values (cast(? as varchar(512)), cast(? as bigint))) n (lock_name, token)"
                    + " on f.lock_name = n.lock_name"
                    + " when matched and f.token <= n.token then update set token = n.token"
                    + " when not matched then insert (lock_name, token) values (n.lock_name, n.token)");

    private Dialects() {}

    /** Returns the dialect of a product, by the name that its driver reports; null if there is none. */
    static @Nullable FenceDialect of(String product) {
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MySQL", "MariaDB" -> new MySql();
            case "H2" -> H2;
            default -> null;
        };
    }

    /**
     * MySQL and MariaDB. The update count of an insert does not tell an inserted row from one that stays as it is, so a second statement reads the
     * token. It locks, because only then does it read the latest row and not the transaction's snapshot.
     */
    private static final class MySql implements FenceDialect {

        @Override
        public String create(String table) {
            return "create table " + table
                    + " (lock_name varchar(512) character set utf8mb4 collate utf8mb4_bin primary key,"
                    + " token bigint not null) engine = InnoDB";
        }

        @Override
        public boolean move(Connection connection, String table, String lockName, long token, int seconds)
                throws SQLException {
            String insert = "insert into " + table
                    + " (lock_name, token) values (?, ?) on duplicate key update token = greatest(token, ?)";
            try (PreparedStatement statement = connection.prepareStatement(insert)) {
                statement.setQueryTimeout(seconds);
                statement.setString(1, lockName);
                statement.setLong(2, token);
                statement.setLong(3, token);
                statement.executeUpdate();
            }
            String select = "select token from " + table + " where lock_name = ? for update";
            try (PreparedStatement statement = connection.prepareStatement(select)) {
                statement.setQueryTimeout(seconds);
                statement.setString(1, lockName);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() && row.getLong(1) == token;
                }
            }
        }

        @Override
        public String page(String table) {
            return "select lock_name, token from " + table + " where lock_name > ? order by lock_name limit 100";
        }
    }
}
