package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.chaos.Interleavings;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases come and go while the rounds run, which end when they are empty: each lease that is there is renewed by the next round. */
public class RenewalScheduleConcurrencyTest {

    private final LeasesByHand leases = new LeasesByHand(lease -> lease.freed(true));
    private final RenewalSchedule schedule = leases.schedule();
    private final Queue<HeldLease> added = new ConcurrentLinkedQueue<>();
    private final Set<HeldLease> present = ConcurrentHashMap.newKeySet();

    @Operation
    public void add() {
        HeldLease lease = leases.lease();
        schedule.add(lease);
        present.add(lease);
        added.add(lease);
    }

    @Operation
    public void forget() {
        HeldLease lease = added.poll();
        if (lease != null) {
            present.remove(lease);
            schedule.forget(lease);
        }
    }

    @Operation
    public void runRounds() {
        leases.tasks.run();
    }

    @Validate
    public void eachLeaseIsRenewedByTheNextRound() {
        leases.renewed.clear();
        leases.tasks.run();
        if (!leases.renewed.containsAll(present)) {
            throw new AssertionError("Of " + present.size() + " leases " + leases.renewed.size() + " were renewed");
        }
        if (schedule.leases().count() != present.size()) {
            throw new AssertionError(
                    present.size() + " leases, scheduled " + schedule.leases().count());
        }
    }

    @Test
    @Tag(Interleavings.TAG)
    void noLeaseIsForgotten() {
        Interleavings.check(RenewalScheduleConcurrencyTest.class);
    }
}
