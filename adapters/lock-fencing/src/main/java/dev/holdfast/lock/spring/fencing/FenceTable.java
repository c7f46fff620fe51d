package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.LockStartupException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * The fence table of one database: a row for each lock, with the token of the last transaction under it. A transaction that has moved the row keeps
 * it locked until it ends, so the database lets one holder's transaction at a time through, in the order of their tokens.
 *
 * <p>A token carries the time of its grant. A row whose token is older than {@link #KEPT} may be removed, because a lease of that age must be confirmed
 * by Redis before it fences a transaction. Such a lease belongs to a leader or to a holder that stood still.
 */
final class FenceTable {

    static final Duration KEPT = Duration.ofDays(30);

    static final long TOKENS_FOR_EACH_MICROSECOND = 1024;

    /** One step of cleaning looks at a hundred rows, so it looks at twice as many rows as transactions can have inserted since the last one. */
    private static final int TRANSACTIONS_FOR_EACH_STEP = 50;

    private static final int PAGE = 100;

    private static final int REMEMBERED = 1000;

    /** In bytes, and so the most characters too. */
    private static final int LONGEST_NAME = 512;

    /** Greater than any that Redis gives. A column of floating-point numbers rounds it. */
    private static final long GREAT_TOKEN = Long.MAX_VALUE - 1;

    private static final Log LOG = LogFactory.getLog(FenceTable.class);

    private final String name;
    private final FenceDialect dialect;
    private final Duration kept;
    private final Map<String, Row> rows = new ConcurrentHashMap<>();
    /** The last token that was committed to the row of a lock. */
    private final Map<String, Long> committed = new ConcurrentHashMap<>();

    private final AtomicInteger transactions = new AtomicInteger();
    private volatile String lastLookedAt = "";

    FenceTable(String name, FenceDialect dialect, Duration kept) {
        this.name = name;
        this.dialect = dialect;
        this.kept = kept;
    }

    /**
     * A row that an open transaction of this process has moved.
     *
     * @param committed whether the row has the token also if this transaction is rolled back
     */
    record Row(FencingLock lock, Thread thread, Connection connection, boolean committed) {}

    /**
     * Moves, reads and deletes a row with the longest name and a great token, in a transaction that is rolled back.
     *
     * @throws SQLException if the database is read-only
     */
    void probe(Connection connection, String bean) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        String lock = "holdfast:" + UUID.randomUUID();
        lock += "-".repeat(LONGEST_NAME - lock.length());
        try {
            dialect.move(connection, name, lock, GREAT_TOKEN, 10);
            try (PreparedStatement page = connection.prepareStatement(dialect.page(name))) {
                page.setString(1, lock);
                page.executeQuery().close();
            }
            if (stored(connection, lock) != GREAT_TOKEN) {
                throw new SQLException("a row does not keep its name or its token");
            }
            remove(connection, List.of(new Old(lock, GREAT_TOKEN)));
        } catch (SQLException e) {
            if (FenceTables.READ_ONLY.equals(e.getSQLState())) {
                throw e;
            }
            throw new LockStartupException(
                    "holdfast.fence-table is '" + name + "', and the data source '" + bean
                            + "' has no such table, or this application may not write it, or it does not keep names of "
                            + LONGEST_NAME + " characters and tokens of 64 bits: " + e.getMessage(),
                    "Create the table before the application starts, and let the application select, insert, update and"
                            + " delete its rows:\n\n    " + dialect.create(name) + ";\n",
                    e);
        } finally {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        }
    }

    /**
     * Moves the row of a lock to the token of its holder.
     *
     * @param seconds how long to wait for a transaction that has the row
     * @return false if a transaction around this one has the row under the same lease. It keeps the row until this one has ended
     * @throws OptimisticLockingFailureException if a later holder has written
     */
    boolean move(Connection connection, FencingLock lock, int seconds) throws SQLException {
        Row outer = rows.get(lock.name());
        if (outer != null && outer.connection() != connection && outer.thread() == Thread.currentThread()) {
            checkIsOfSameLease(outer, lock);
            checkIsCommitted(outer);
            return false;
        }
        checkIsConfirmedIfOld(lock);
        if (!moved(connection, lock, seconds)) {
            throw new OptimisticLockingFailureException(
                    StaleHolder.refusal(lock.name(), lock.token(), stored(connection, lock.name())));
        }
        return true;
    }

    private void checkIsOfSameLease(Row outer, FencingLock lock) {
        if (outer.lock().token() > lock.token()) {
            throw new OptimisticLockingFailureException(
                    StaleHolder.refusal(lock.name(), lock.token(), outer.lock().token()));
        }
        if (outer.lock().token() < lock.token()) {
            throw new CannotAcquireLockException(
                    "The transaction around this one wrote under an earlier lease of the lock '"
                            + lock.name() + "', and has its row in " + name
                            + " until it ends. End it before the lock is acquired again");
        }
    }

    private static void checkIsCommitted(Row outer) {
        if (!outer.committed()) {
            throw new CannotAcquireLockException(
                    "The transaction around this one executed a statement before it acquired the lock '"
                            + outer.lock().name()
                            + "', so if it is rolled back, nothing fences what this one has committed."
                            + " Acquire the lock before the first statement of the outer transaction");
        }
    }

    private void checkIsConfirmedIfOld(FencingLock lock) {
        if (isOld(lock.token()) && !lock.lease().verify()) {
            throw new OptimisticLockingFailureException("The lease of the lock '" + lock.name() + "' is older than "
                    + kept.toDays() + " days, so its row in " + name
                    + " might have been removed, and Redis does not confirm that it is held");
        }
    }

    private boolean moved(Connection connection, FencingLock lock, int seconds) throws SQLException {
        long begun = System.nanoTime();
        try {
            return dialect.move(connection, name, lock.name(), lock.token(), seconds);
        } catch (SQLException e) {
            long waited = System.nanoTime() - begun;
            if (e instanceof SQLTimeoutException || waited >= TimeUnit.SECONDS.toNanos(seconds)) {
                throw new CannotAcquireLockException(
                        "Another transaction under the lock '" + lock.name() + "' has its row in " + name
                                + ", and did not end within " + TimeUnit.NANOSECONDS.toMillis(waited)
                                + " ms. Its holder might be paused; the database's limit for idle transactions ends it",
                        e);
            }
            throw e;
        }
    }

    private long stored(Connection connection, String lockName) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select token from " + name + " where lock_name = ?")) {
            statement.setString(1, lockName);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /** Notes that an open transaction has moved a row. */
    void keep(Row row) {
        rows.put(row.lock().name(), row);
    }

    /** Notes that the transaction has ended. Another one may have moved the row already. */
    void leave(Row row) {
        rows.remove(row.lock().name(), row);
    }

    /** Returns whether the row has the token of this lock in a transaction that has been committed. */
    boolean hasCommitted(FencingLock lock) {
        Long token = committed.get(lock.name());
        return token != null && token >= lock.token();
    }

    /** Notes that a transaction which moved a row has been committed. What is forgotten is only committed once more. */
    void committed(FencingLock lock) {
        if (committed.size() >= REMEMBERED) {
            committed.clear();
        }
        committed.merge(lock.name(), lock.token(), Math::max);
    }

    private boolean isOld(long token) {
        long oldest = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - kept.toMillis());
        return token / TOKENS_FOR_EACH_MICROSECOND < oldest;
    }

    private record Old(String lockName, long token) {}

    /** Removes old rows now and then, in a transaction of its own on a connection whose transaction has been committed. */
    void clean(Connection connection) {
        if (transactions.incrementAndGet() % TRANSACTIONS_FOR_EACH_STEP == 0) {
            try {
                removeOldOfNextPage(connection);
            } catch (SQLException e) {
                // The application's transaction has succeeded. A later step tries the next rows.
                LOG.debug("Old rows of " + name + " were not removed", e);
            }
        }
    }

    void removeOldOfNextPage(Connection connection) throws SQLException {
        List<Old> old = new ArrayList<>();
        int seen = 0;
        String last = "";
        try (PreparedStatement statement = connection.prepareStatement(dialect.page(name))) {
            statement.setString(1, lastLookedAt);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    seen++;
                    last = row.getString(1);
                    if (isOld(row.getLong(2))) {
                        old.add(new Old(last, row.getLong(2)));
                    }
                }
            }
            lastLookedAt = seen < PAGE ? "" : last;
            remove(connection, old);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        }
    }

    /** Removes rows that no transaction has moved since they were read. Does not wait for a leader's transaction that has one of them. */
    private void remove(Connection connection, List<Old> old) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("delete from " + name + " where lock_name = ? and token = ?")) {
            statement.setQueryTimeout(1);
            for (Old each : old) {
                statement.setString(1, each.lockName());
                statement.setLong(2, each.token());
                statement.executeUpdate();
            }
        }
    }
}
