package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.ShopSettings;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A job that every instance schedules. Each tick runs on one of them, however late the others fire. */
@Component
class StockReport {

    private final StockTable table;
    private final ShopSettings settings;

    StockReport(StockTable table, ShopSettings settings) {
        this.table = table;
        this.settings = settings;
    }

    @Scheduled(cron = "${shop.report-cron}")
    @DistributedLock(name = "stock-report", oncePerTick = true, onBusy = OnBusy.SKIP)
    void report() {
        table.report(settings.instance(), table.total());
    }
}
