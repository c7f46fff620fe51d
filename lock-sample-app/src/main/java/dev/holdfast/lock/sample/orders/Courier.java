package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** Books couriers, who take one call at a time. The lock is acquired at the subscription and held until the result is available. */
@Service
class Courier {

    private final Elsewhere office;

    Courier(Elsewhere office) {
        this.office = office;
    }

    @DistributedLock(name = "courier", waitTime = "10s")
    Mono<Receipt> book(Order order) {
        return office.askReactive().thenReturn(new Receipt(order.id(), "on its way"));
    }
}
