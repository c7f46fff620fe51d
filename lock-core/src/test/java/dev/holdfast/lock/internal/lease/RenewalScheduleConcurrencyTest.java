package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.Interleavings;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases come and go while the rounds run, which end when they are empty: each lease that is there is renewed by the next round. */
public class RenewalScheduleConcurrencyTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration ROUND = LEASE.dividedBy(3);

    private final VirtualHolds holds = new VirtualHolds();
    private final Queue<HeldLease> added = new ConcurrentLinkedQueue<>();
    private final Set<HeldLease> present = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean timePasses = new AtomicBoolean();

    @Operation
    public void add() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        present.add(lease);
        added.add(lease);
    }

    @Operation
    public void release() {
        HeldLease lease = added.poll();
        if (lease != null) {
            present.remove(lease);
            lease.releaseAsync();
        }
    }

    /** As one timer thread does. */
    @Operation
    public void runRounds() {
        if (timePasses.compareAndSet(false, true)) {
            holds.time.advance(ROUND);
            timePasses.set(false);
        }
    }

    @Validate
    public void eachLeaseIsRenewedByTheNextRound() {
        long before = holds.time.now();
        holds.time.advance(ROUND);
        for (HeldLease lease : present) {
            if (lease.grant().confirmedAt() - before < 0) {
                throw new AssertionError("A lease of " + present.size() + " was not renewed");
            }
        }
        holds.watchdog.held().forEach(lease -> {
            if (!present.remove(lease)) {
                throw new AssertionError("A lease was renewed that is over");
            }
        });
        if (!present.isEmpty()) {
            throw new AssertionError(present.size() + " leases are not scheduled");
        }
    }

    @Test
    @Tag(Interleavings.TAG)
    void noLeaseIsForgotten() {
        Interleavings.check(RenewalScheduleConcurrencyTest.class);
    }
}
