package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

/** Counts the stock. A count takes long, and a late count must not overwrite a newer one. Therefore, each write contains the fencing token. */
@Service
class StockCount {

    private final StockTable table;
    private final Elsewhere shelves;
    private final ApplicationEventPublisher events;

    StockCount(StockTable table, Elsewhere shelves, ApplicationEventPublisher events) {
        this.table = table;
        this.shelves = shelves;
        this.events = events;
    }

    /** Counts an item. A loss is only reported, because the database decides which write it accepts. */
    @DistributedLock(name = "stock", key = "#item", waitTime = "30s", onLost = OnLost.REPORT)
    StockWrite count(String item, Duration time) {
        long fence = LockContext.current().fencingToken();
        int before = table.quantity(item);
        shelves.ask(time);
        int counted = before + ThreadLocalRandom.current().nextInt(-3, 4);
        boolean accepted = table.write(item, counted, fence);
        StockWrite write = new StockWrite(item, counted, fence, accepted);
        events.publishEvent(write);
        if (!accepted) {
            throw new StaleWriteException(item, fence);
        }
        return write;
    }
}
