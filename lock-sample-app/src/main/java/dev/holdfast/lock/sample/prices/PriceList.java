package dev.holdfast.lock.sample.prices;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.sample.UnknownItemException;
import dev.holdfast.lock.spring.DistributedLock;
import java.math.BigDecimal;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The price list. It allows any number of readers at once, or one writer. */
@Service
class PriceList {

    private final JdbcClient database;
    private final Elsewhere auditors;

    PriceList(JdbcClient database, Elsewhere auditors) {
        this.database = database;
        this.auditors = auditors;
    }

    @DistributedLock(name = "price-list", kind = LockKind.READ, waitTime = "5s")
    Optional<BigDecimal> price(String item) {
        auditors.ask();
        return database.sql("select price from price_list where item = ?")
                .param(item)
                .query(BigDecimal.class)
                .optional();
    }

    /** Changes a price. The lock is outside the transaction: other instances acquire it after the commit, so they read the new price. */
    @DistributedLock(name = "price-list", kind = LockKind.WRITE, waitTime = "10s")
    @Transactional
    void change(String item, BigDecimal price) {
        auditors.ask();
        int changed = database.sql("update price_list set price = ? where item = ?")
                .params(price, item)
                .update();
        if (changed == 0) {
            throw new UnknownItemException(item);
        }
    }
}
