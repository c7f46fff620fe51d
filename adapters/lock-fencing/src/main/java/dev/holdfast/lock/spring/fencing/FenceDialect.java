package dev.holdfast.lock.spring.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/**
 * The statements of the fence table for one kind of database. PostgreSQL, MySQL, MariaDB and H2 need no bean of this type; for another database,
 * define one.
 *
 * <pre><code>
 * &#064;Bean
 * FenceDialect oracle() {
 *     return FenceDialect.of(
 *             "create table %s (lock_name varchar2(512 char) primary key, token number(19) not null)",
 *             "merge into %s f using (select ? as lock_name, ? as token from dual) n on (f.lock_name = n.lock_name)"
 *                     + " when matched then update set token = n.token where f.token &lt;= n.token"
 *                     + " when not matched then insert (lock_name, token) values (n.lock_name, n.token)");
 * }
 * </code></pre>
 */
public interface FenceDialect {

    /** {@return the statement that creates the table} Startup fails with this text if there is no table. */
    String create(String table);

    /**
     * Moves the row of a lock to a token, unless the row has a greater one. Inserts the row if there is none. In both cases the row stays locked until
     * the connection's transaction ends, and another transaction that moves it waits.
     *
     * @param seconds after which the statement must give up
     * @return whether the row now has the token; false if it has a greater one
     */
    boolean move(Connection connection, String table, String lockName, long token, int seconds) throws SQLException;

    /** {@return a query for the next hundred rows in the order of their names, after the name that is its parameter} */
    default String page(String table) {
        return "select lock_name, token from " + table
                + " where lock_name > ? order by lock_name fetch first 100 rows only";
    }

    /**
     * Returns the dialect of a database that moves a row with one statement. If the statement finds no row and another transaction inserts the row at
     * the same time, the statement may fail with {@link SQLIntegrityConstraintViolationException}. It is then repeated once.
     *
     * @param create creates the table, whose name stands as {@code %s}
     * @param move moves a row. Its parameters are the lock's name and the token, and its update count is 0 if the row has a greater token
     */
    static FenceDialect of(String create, String move) {
        return new FenceDialect() {
            @Override
            public String create(String table) {
                return create.replace("%s", table);
            }

            @Override
            public boolean move(Connection connection, String table, String lockName, long token, int seconds)
                    throws SQLException {
                try (PreparedStatement statement = connection.prepareStatement(move.replace("%s", table))) {
                    statement.setQueryTimeout(seconds);
                    statement.setString(1, lockName);
                    statement.setLong(2, token);
                    return count(statement) > 0;
                }
            }

            private int count(PreparedStatement statement) throws SQLException {
                try {
                    return statement.executeUpdate();
                } catch (SQLIntegrityConstraintViolationException inserted) {
                    return statement.executeUpdate();
                }
            }
        };
    }
}
