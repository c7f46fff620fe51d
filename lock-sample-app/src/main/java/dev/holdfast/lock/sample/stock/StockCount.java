package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.sample.UnknownItemException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.stereotype.Service;

/** Counts the stock. A count takes long, and a late count must not overwrite a newer one. Therefore, each write contains the fencing token. */
@Service
class StockCount {

    private final StockRepository stock;
    private final Elsewhere shelves;
    private final ApplicationEventPublisher events;

    StockCount(StockRepository stock, Elsewhere shelves, ApplicationEventPublisher events) {
        this.stock = stock;
        this.shelves = shelves;
        this.events = events;
    }

    /** Counts an item. A loss is only reported, because the database decides which write it accepts. */
    @DistributedLock(name = "stock", key = "#item", waitTime = "30s", onLost = OnLost.REPORT)
    StockWrite count(String item, Duration time) {
        long fence = LockContext.current().fencingToken();
        Stock before = stock.findById(item).orElseThrow(() -> new UnknownItemException(item));
        shelves.ask(time);
        int counted = before.quantity() + ThreadLocalRandom.current().nextInt(-3, 4);
        try {
            stock.save(before.counted(counted));
        } catch (OptimisticLockingFailureException e) {
            events.publishEvent(new StockWrite(item, counted, fence, false));
            throw new StaleWriteException(item, fence, e);
        }
        StockWrite write = new StockWrite(item, counted, fence, true);
        events.publishEvent(write);
        return write;
    }
}
