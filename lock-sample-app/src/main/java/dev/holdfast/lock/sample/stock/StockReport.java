package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.ShopSettings;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that every instance schedules and only one runs. At each tick, the instance that comes second skips it. The minimum hold keeps an instance
 * with a slow clock from running the same tick again.
 */
@Component
class StockReport {

    private final StockTable table;
    private final ShopSettings settings;

    StockReport(StockTable table, ShopSettings settings) {
        this.table = table;
        this.settings = settings;
    }

    @Scheduled(cron = "${shop.report-cron}")
    @DistributedLock(name = "stock-report", onBusy = OnBusy.SKIP, minHold = "4s")
    void report() {
        table.report(settings.instance(), table.total());
    }
}
