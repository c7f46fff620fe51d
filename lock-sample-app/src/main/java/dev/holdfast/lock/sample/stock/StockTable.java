package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.UnknownItemException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The stock in the database. Each row keeps the highest fencing token that has written it, and refuses writes with a lower token. This refuses a
 * holder whose lease ended while it was paused, and which still believes that it holds the lock.
 */
@Repository
class StockTable {

    private final JdbcClient database;

    StockTable(JdbcClient database) {
        this.database = database;
    }

    int quantity(String item) {
        return database.sql("select quantity from stock where item = ?")
                .param(item)
                .query(Integer.class)
                .optional()
                .orElseThrow(() -> new UnknownItemException(item));
    }

    /** Writes a quantity. If a later holder has already written, changes nothing and returns false. */
    boolean write(String item, int quantity, long fence) {
        return database.sql("update stock set quantity = ?, fence = ? where item = ? and fence <= ?")
                        .params(quantity, fence, item, fence)
                        .update()
                == 1;
    }

    int total() {
        return database.sql("select sum(quantity) from stock")
                .query(Integer.class)
                .single();
    }

    /** Returns the last reports, the newest first. */
    List<Report> reports() {
        return database.sql("select reported_at, instance, total from stock_report order by reported_at desc limit 20")
                .query((row, number) -> new Report(
                        row.getTimestamp("reported_at").toInstant(), row.getString("instance"), row.getInt("total")))
                .list();
    }

    void report(String instance, int total) {
        database.sql("insert into stock_report (instance, total) values (?, ?)")
                .params(instance, total)
                .update();
    }
}
