package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.fencing.FenceTable.Row;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * A connection whose transactions are fenced: before a statement is executed, the row of each lock that the running code holds is moved, unless this
 * transaction has moved it. So it makes no difference which library executes the statement, and whether the transaction or the lock came first.
 *
 * <p>Outside of a transaction, an update gets one of its own, which fences it. What a query or a call of a procedure writes there is only checked:
 * their results could not be read after a commit.
 */
final class FencedConnection implements InvocationHandler {

    static final List<Class<?>> PROXIED = List.of(
            Connection.class,
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            DatabaseMetaData.class,
            ResultSet.class);

    private static final Set<String> UPDATES =
            Set.of("executeUpdate", "executeLargeUpdate", "executeBatch", "executeLargeBatch");

    /** What a result set writes. */
    private static final Set<String> ROW_UPDATES = Set.of("insertRow", "updateRow", "deleteRow");

    private final Connection connection;
    private final FenceTables tables;
    private @Nullable FenceTable table;

    /** Whether the present transaction has executed a statement. */
    private boolean used;

    /** The rows that the present transaction has moved, by the names of their locks. */
    private final Map<String, Row> moved = new HashMap<>();

    private @Nullable Boolean readOnly;

    private FencedConnection(Connection connection, FenceTables tables) {
        this.connection = connection;
        this.tables = tables;
    }

    static Connection around(Connection connection, FenceTables tables) {
        return proxy(Connection.class, new FencedConnection(connection, tables));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(FencedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "createStatement", "prepareStatement", "prepareCall" ->
                statement((Connection) proxy, method, (Statement)
                        Objects.requireNonNull(call(connection, method, arguments)));
            case "getMetaData" ->
                proxy(DatabaseMetaData.class, leadingTo("getConnection", proxy, call(connection, method, arguments)));
            case "setSavepoint" -> setSavepoint(method, arguments);
            case "commit" -> commit(method, arguments);
            case "rollback" -> rollback(method, arguments);
            case "setAutoCommit" -> setAutoCommit(method, arguments);
            case "close", "abort" -> end(method, arguments);
            case "setReadOnly" -> setReadOnly(method, arguments);
            default -> callOwn(proxy, connection, method, arguments);
        };
    }

    /** What a connection hands out leads back to the proxy that has handed it out. */
    private static InvocationHandler leadingTo(String back, Object proxy, @Nullable Object target) {
        return (own, called, arguments) ->
                called.getName().equals(back) ? proxy : callOwn(own, target, called, arguments);
    }

    private Object statement(Connection own, Method method, Statement statement) {
        InvocationHandler other = leadingTo("getConnection", own, statement);
        return proxy(method.getReturnType(), (proxy, called, arguments) -> {
            Object result = called.getName().startsWith("execute")
                    ? execute(statement, statement, called, arguments)
                    : other.invoke(proxy, called, arguments);
            return result instanceof ResultSet rows ? result(proxy, statement, rows) : result;
        });
    }

    /** Most results are only read. They are handed on as they are, because each of their values is a call. */
    private ResultSet result(Object own, Statement statement, ResultSet rows) throws SQLException {
        if (rows.getConcurrency() != ResultSet.CONCUR_UPDATABLE) {
            return rows;
        }
        InvocationHandler other = leadingTo("getStatement", own, rows);
        return proxy(
                ResultSet.class,
                (proxy, called, arguments) -> ROW_UPDATES.contains(called.getName())
                        ? execute(statement, rows, called, arguments)
                        : other.invoke(proxy, called, arguments));
    }

    private @Nullable Object execute(
            Statement statement, Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Collection<FencingLock> locks = FencingLock.all();
        if (locks.stream().allMatch(this::hasMoved) || isReadOnly()) {
            used = true;
            return call(target, method, arguments);
        }
        int limit = statement.getQueryTimeout();
        if (!connection.getAutoCommit()) {
            boolean committed = !used && commitFences(locks, limit);
            move(locks, limit, committed);
            used = true;
            return call(target, method, arguments);
        }
        if (UPDATES.contains(method.getName())) {
            return executeInTransaction(locks, limit, target, method, arguments);
        }
        for (FencingLock lock : locks) {
            if (table().move(connection, lock, lock.waitSeconds(limit))) {
                table().committed(lock);
            }
        }
        return call(target, method, arguments);
    }

    /**
     * Commits the fences of a lease before its first transaction. So if this transaction is rolled back, one that was committed inside it stays fenced.
     * A transaction that has executed a statement cannot do so any more.
     *
     * @return whether all are committed; false in a distributed transaction, where a connection cannot commit
     */
    private boolean commitFences(Collection<FencingLock> locks, int limit) throws SQLException {
        FenceTable fences = table();
        move(locks.stream().filter(lock -> !fences.hasCommitted(lock)).toList(), limit, false);
        if (!moved.isEmpty()) {
            try {
                connection.commit();
            } catch (SQLException e) {
                // If the connection is broken, the next statement says so.
                forget();
                return false;
            }
            committed(fences);
        }
        return true;
    }

    private @Nullable Object executeInTransaction(
            Collection<FencingLock> locks,
            int limit,
            Object target,
            Method method,
            @Nullable Object @Nullable [] arguments)
            throws Throwable {
        connection.setAutoCommit(false);
        Object result;
        try {
            move(locks, limit, false);
            result = call(target, method, arguments);
            connection.commit();
        } catch (Throwable failure) {
            afterFailure(failure, connection::rollback);
            forget();
            afterFailure(failure, () -> connection.setAutoCommit(true));
            throw failure;
        }
        committed();
        connection.setAutoCommit(true);
        return result;
    }

    /** A step of a connection that may be broken. */
    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    /** Runs a step after a failure, which the caller must see even if the step fails too. */
    private static void afterFailure(Throwable failure, Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException second) {
            failure.addSuppressed(second);
        }
    }

    /** Called after a commit. */
    private void committed() {
        FenceTable fences = table;
        if (fences != null && !moved.isEmpty()) {
            committed(fences);
            fences.clean(connection);
        }
        forget();
    }

    private void committed(FenceTable fences) {
        moved.values().forEach(row -> fences.committed(row.lock()));
        forget();
    }

    private void move(Collection<FencingLock> locks, int limit, boolean committed) throws SQLException {
        for (FencingLock lock : locks) {
            if (!hasMoved(lock) && table().move(connection, lock, lock.waitSeconds(limit))) {
                keep(new Row(lock, Thread.currentThread(), connection, committed || table().hasCommitted(lock)));
            }
        }
    }

    private void keep(Row row) throws SQLException {
        moved.put(row.lock().name(), row);
        table().keep(row);
    }

    private FenceTable table() throws SQLException {
        FenceTable known = table;
        if (known == null) {
            known = tables.of(connection);
            table = known;
        }
        return known;
    }

    private boolean hasMoved(FencingLock lock) {
        Row row = moved.get(lock.name());
        return row != null && row.lock().token() >= lock.token();
    }

    /** Tracked here, because some drivers ignore it, and some ask the server. */
    private boolean isReadOnly() throws SQLException {
        if (readOnly == null) {
            readOnly = connection.isReadOnly();
        }
        return readOnly;
    }

    private @Nullable Object setReadOnly(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        Object result = call(connection, method, arguments);
        readOnly = arguments != null && Boolean.TRUE.equals(arguments[0]);
        return result;
    }

    private @Nullable Object setAutoCommit(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        boolean changes = arguments != null
                && !Boolean.valueOf(connection.getAutoCommit()).equals(arguments[0]);
        return changes ? end(method, arguments) : call(connection, method, arguments);
    }

    private @Nullable Object commit(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        Object result;
        try {
            result = call(connection, method, arguments);
        } catch (Throwable failure) {
            forget();
            throw failure;
        }
        committed();
        return result;
    }

    private @Nullable Object rollback(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (arguments == null || arguments.length == 0) {
            return end(method, arguments);
        }
        // The database may have given back the rows that were moved after the savepoint.
        Object result = call(connection, method, arguments);
        List<Row> rows = List.copyOf(moved.values());
        forget();
        used = true;
        try {
            for (Row row : rows) {
                if (table().move(connection, row.lock(), row.lock().waitSeconds(0))) {
                    keep(row);
                }
            }
        } catch (DataAccessException refused) {
            // The next statement is refused for the same reason.
        }
        return result;
    }

    private @Nullable Object end(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return call(connection, method, arguments);
        } finally {
            forget();
        }
    }

    private void forget() {
        FenceTable fences = table;
        if (fences != null) {
            moved.values().forEach(fences::leave);
        }
        moved.clear();
        used = false;
    }

    /** A fence that was committed before a savepoint would end the transaction of the savepoint. */
    private @Nullable Object setSavepoint(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        used = true;
        return call(connection, method, arguments);
    }

    private static @Nullable Object callOwn(
            Object proxy, @Nullable Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "unwrap" -> isInstance(proxy, arguments) ? proxy : call(target, method, arguments);
            case "isWrapperFor" -> isInstance(proxy, arguments) ? true : call(target, method, arguments);
            default -> call(target, method, arguments);
        };
    }

    private static boolean isInstance(Object proxy, @Nullable Object @Nullable [] arguments) {
        return arguments != null && arguments[0] instanceof Class<?> type && type.isInstance(proxy);
    }

    private static @Nullable Object call(
            @Nullable Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
