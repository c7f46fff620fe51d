package dev.holdfast.lock.sample.prices;

import dev.holdfast.lock.spring.RunOnce;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Fills a table that this version has added. One instance does it, and the others take no requests before it is done. */
@Component
class CurrencyBackfill implements ApplicationRunner {

    private final JdbcClient database;

    CurrencyBackfill(JdbcClient database) {
        this.database = database;
    }

    @Override
    @RunOnce(name = "currency-backfill", per = "${shop.version}")
    public void run(ApplicationArguments arguments) {
        database.sql("insert into price_currency select item, 'EUR' from price_list on conflict do nothing")
                .update();
    }
}
