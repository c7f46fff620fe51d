package dev.holdfast.lock.sample.stock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The stock in the database. Each row keeps the highest fencing token that ever wrote it, and takes no write with a lower one: a holder that
 * stood still while its lease ran out comes too late, however sure it is of its lock.
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
                .orElseThrow(() -> new IllegalArgumentException("There is no '" + item + "' in stock"));
    }

    /** Answers false, and changes nothing, where a later holder has written already. */
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

    void report(String instance, int total) {
        database.sql("insert into stock_report (instance, total) values (?, ?)")
                .params(instance, total)
                .update();
    }
}
