package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import org.springframework.stereotype.Service;

/** The only packing machine. Orders are packed in the order of their arrival, whichever instance receives them. */
@Service
class Packing {

    private final Elsewhere machine;

    Packing(Elsewhere machine) {
        this.machine = machine;
    }

    @DistributedLock(name = "packing", kind = LockKind.FAIR, waitTime = "20s")
    void pack(Order order) {
        machine.ask();
    }
}
