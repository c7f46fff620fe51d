package dev.holdfast.lock.sample.stock;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The reports in the database. */
@Repository
class ReportTable {

    private final JdbcClient database;

    ReportTable(JdbcClient database) {
        this.database = database;
    }

    /** Returns the last reports, the newest first. */
    List<Report> latest() {
        return database.sql("select reported_at, instance, total from stock_report order by reported_at desc limit 20")
                .query((row, number) -> new Report(
                        row.getTimestamp("reported_at").toInstant(), row.getString("instance"), row.getInt("total")))
                .list();
    }

    void add(String instance, int total) {
        database.sql("insert into stock_report (instance, total) values (?, ?)")
                .params(instance, total)
                .update();
    }
}
