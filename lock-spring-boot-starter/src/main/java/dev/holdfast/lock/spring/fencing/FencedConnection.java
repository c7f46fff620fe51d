package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.fencing.FenceTable.Row;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    static final List<Class<?>> PROXIED =
            List.of(Connection.class, Statement.class, PreparedStatement.class, CallableStatement.class);

    private static final Set<String> UPDATES =
            Set.of("executeUpdate", "executeLargeUpdate", "executeBatch", "executeLargeBatch");

    private final Connection connection;
    private final FenceTable table;

    /** The rows that the present transaction has moved, by the names of their locks. */
    private final Map<String, Row> moved = new HashMap<>();

    private @Nullable Boolean readOnly;

    private FencedConnection(Connection connection, FenceTable table) {
        this.connection = connection;
        this.table = table;
    }

    static Connection around(Connection connection, FenceTable table) {
        return proxy(Connection.class, new FencedConnection(connection, table));
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
                statement((Connection) proxy, method, (Statement) call(connection, method, arguments));
            case "commit" -> commit(method, arguments);
            case "rollback" -> rollback(method, arguments);
            case "setAutoCommit" -> setAutoCommit(method, arguments);
            case "close", "abort" -> end(method, arguments);
            case "setReadOnly" -> setReadOnly(method, arguments);
            default -> callOwn(proxy, connection, method, arguments);
        };
    }

    private Object statement(Connection own, Method method, @Nullable Statement statement) {
        return proxy(method.getReturnType(), (proxy, called, arguments) -> {
            String name = called.getName();
            return name.equals("getConnection")
                    ? own
                    : name.startsWith("execute")
                            ? execute(statement, called, arguments)
                            : callOwn(proxy, statement, called, arguments);
        });
    }

    private @Nullable Object execute(
            @Nullable Statement statement, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        Collection<FencingLock> locks = FencingLock.all();
        if (locks.stream().allMatch(this::hasMoved) || isReadOnly()) {
            return call(statement, method, arguments);
        }
        if (!connection.getAutoCommit()) {
            move(locks);
            return call(statement, method, arguments);
        }
        if (UPDATES.contains(method.getName())) {
            return executeInTransaction(locks, statement, method, arguments);
        }
        for (FencingLock lock : locks) {
            table.move(connection, this, lock);
        }
        return call(statement, method, arguments);
    }

    private @Nullable Object executeInTransaction(
            Collection<FencingLock> locks,
            @Nullable Statement statement,
            Method method,
            @Nullable Object @Nullable [] arguments)
            throws Throwable {
        connection.setAutoCommit(false);
        Object result;
        try {
            move(locks);
            result = call(statement, method, arguments);
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
        boolean fenced = !moved.isEmpty();
        forget();
        if (fenced) {
            table.clean(connection);
        }
    }

    private void move(Collection<FencingLock> locks) throws SQLException {
        for (FencingLock lock : locks) {
            Row row = hasMoved(lock) ? null : table.move(connection, this, lock);
            if (row != null) {
                moved.put(lock.name(), row);
                table.keep(row);
            }
        }
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
        List<FencingLock> locks = moved.values().stream().map(Row::lock).toList();
        forget();
        try {
            move(locks);
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
        moved.values().forEach(table::leave);
        moved.clear();
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
