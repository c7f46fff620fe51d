package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import org.springframework.stereotype.Service;

/** Takes payments. Only one instance at a time pays an order. Payments of different orders do not wait for each other. */
@Service
class Payments {

    private final Elsewhere provider;

    Payments(Elsewhere provider) {
        this.provider = provider;
    }

    @DistributedLock(name = "order", key = "#order.id", waitTime = "2s", fallback = "alreadyAtIt")
    Receipt pay(Order order) {
        provider.ask();
        return new Receipt(order.id(), "paid");
    }

    /** Answers instead of {@link #pay} if another caller was paying this order during the whole wait. */
    Receipt alreadyAtIt(Order order, LockNotAcquiredException busy) {
        return new Receipt(order.id(), "is being paid already");
    }
}
