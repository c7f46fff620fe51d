package dev.holdfast.lock.sample.orders;

import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Orders over HTTP. */
@RestController
@RequestMapping("/orders/{id}")
class OrderController {

    private final Payments payments;
    private final Packing packing;
    private final Invoices invoices;
    private final Courier courier;

    OrderController(Payments payments, Packing packing, Invoices invoices, Courier courier) {
        this.payments = payments;
        this.packing = packing;
        this.invoices = invoices;
        this.courier = courier;
    }

    @PostMapping("/payment")
    Receipt pay(@PathVariable String id) {
        return payments.pay(new Order(id));
    }

    @PostMapping("/parcel")
    Receipt pack(@PathVariable String id) {
        packing.pack(new Order(id));
        return new Receipt(id, "packed");
    }

    @PostMapping("/invoice")
    CompletableFuture<Receipt> print(@PathVariable String id) {
        return invoices.print(new Order(id));
    }

    @PostMapping("/courier")
    Mono<Receipt> book(@PathVariable String id) {
        return courier.book(new Order(id));
    }
}
