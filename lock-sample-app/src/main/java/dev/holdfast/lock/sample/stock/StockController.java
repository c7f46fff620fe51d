package dev.holdfast.lock.sample.stock;

import static org.springframework.format.annotation.DurationFormat.Style.SIMPLE;

import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The stock over HTTP. */
@RestController
class StockController {

    private final StockCount stock;
    private final ReportTable reports;

    StockController(StockCount stock, ReportTable reports) {
        this.stock = stock;
        this.reports = reports;
    }

    @GetMapping("/stock/reports")
    List<Report> reports() {
        return reports.latest();
    }

    @PostMapping("/stock/{item}/count")
    Counted count(
            @PathVariable String item,
            @RequestParam(defaultValue = "1s") @DurationFormat(style = SIMPLE) @DurationMin @DurationMax(minutes = 1)
                    Duration time) {
        StockWrite write = stock.count(item, time);
        return new Counted(write.item(), write.quantity(), Long.toString(write.fence()));
    }

    /** A count in JSON. The fencing token is text, because JavaScript's numbers cannot represent it exactly. */
    record Counted(String item, int quantity, String fence) {}
}
