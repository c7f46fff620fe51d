package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Prints invoices. The lock is held until the future completes, and no thread waits for the completion. */
@Service
class Invoices {

    private final Elsewhere printer;

    Invoices(Elsewhere printer) {
        this.printer = printer;
    }

    @DistributedLock(name = "invoice", key = "#order.id", waitTime = "5s")
    CompletableFuture<Receipt> print(Order order) {
        return printer.askAsync().thenApply(printed -> new Receipt(order.id(), "printed"));
    }
}
