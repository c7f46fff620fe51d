package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import java.util.concurrent.atomic.AtomicLong;

/** The token above which all later ones must be: a grant whose remaining tokens are below it is not passed on to another holder. */
public final class TokenFloor {

    private final AtomicLong floor = new AtomicLong();

    void raise(long token) {
        floor.accumulateAndGet(token, Math::max);
    }

    boolean allows(Grant grant) {
        return grant.isBeyond(floor.get());
    }
}
