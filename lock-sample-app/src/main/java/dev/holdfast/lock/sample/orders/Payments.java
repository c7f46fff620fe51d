package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import org.springframework.stereotype.Service;

/** Takes payments. An order is paid by one instance at a time; different orders do not wait for each other. */
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

    /** Answers in the place of {@link #pay} when somebody else has been paying this order for all of the wait. */
    Receipt alreadyAtIt(Order order, LockNotAcquiredException busy) {
        return new Receipt(order.id(), "is being paid already");
    }
}
