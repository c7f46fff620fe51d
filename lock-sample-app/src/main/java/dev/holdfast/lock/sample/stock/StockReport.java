package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.ShopSettings;
import dev.holdfast.lock.spring.OncePerTick;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A job that every instance schedules. Each tick runs on one of them, however late the others fire. */
@Component
class StockReport {

    private final StockRepository stock;
    private final ReportTable reports;
    private final ShopSettings settings;

    StockReport(StockRepository stock, ReportTable reports, ShopSettings settings) {
        this.stock = stock;
        this.reports = reports;
        this.settings = settings;
    }

    @Scheduled(cron = "${shop.report-cron}")
    @OncePerTick("stock-report")
    void report() {
        reports.add(settings.instance(), stock.total());
    }
}
