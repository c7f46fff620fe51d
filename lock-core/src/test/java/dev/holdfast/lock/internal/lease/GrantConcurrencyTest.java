package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers to renewals come on several threads, also late and out of order: none is lost, none revives what is over, and no token goes to two holders. */
@Param(name = "sent", gen = IntGen.class, conf = "1:6")
public class GrantConcurrencyTest {

    private static final long STEP = 100;

    private final Grant grant = new Grant("lock", "lock", "owner", 10, 3, 0, 4 * STEP);

    @Operation
    public boolean confirm(@Param(name = "sent") int sent) {
        return grant.confirm(sent * STEP, 4 * STEP, sent * STEP + 1);
    }

    @Operation
    public long validUntil() {
        return grant.validUntil();
    }

    @Operation
    public long takeToken() {
        try {
            return grant.takeToken();
        } catch (IllegalStateException none) {
            return -1;
        }
    }

    @Test
    @Tag(Interleavings.TAG)
    void confirmationsAndTokensHappenOneAfterTheOther() {
        Interleavings.check(GrantConcurrencyTest.class);
    }
}
