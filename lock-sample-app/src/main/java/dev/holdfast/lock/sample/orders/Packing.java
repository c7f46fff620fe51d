package dev.holdfast.lock.sample.orders;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.spring.DistributedLock;
import org.springframework.stereotype.Service;

/** The one packing machine. Who came first is served first, whichever instance they came to. */
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
