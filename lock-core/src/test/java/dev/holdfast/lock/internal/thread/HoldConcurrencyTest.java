package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.internal.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thread enters and leaves its hold while another thread learns that the lease was lost: however they interleave, one of them ends the hold. */
public class HoldConcurrencyTest {

    private final ThreadHolds.Hold<String> hold = new ThreadHolds.Hold<>("lease");

    @Operation
    public boolean enter() {
        return hold.enter();
    }

    @Operation
    public int leave() {
        return hold.leave();
    }

    @Operation
    public int lose() {
        return hold.end();
    }

    @Operation
    public int count() {
        return hold.count();
    }

    @Test
    @Tag(Interleavings.TAG)
    void entriesAndTheLossHappenOneAfterTheOther() {
        Interleavings.check(HoldConcurrencyTest.class);
    }
}
