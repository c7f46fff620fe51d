package dev.holdfast.lock.internal.event;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a client. Threads that count at the same time do not contend. */
public final class Counters {

    public final LongAdder acquired = new LongAdder();
    public final LongAdder busy = new LongAdder();
    public final LongAdder unavailable = new LongAdder();
    public final LongAdder notYet = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder handedOver = new LongAdder();
    public final LongAdder wokenBySignal = new LongAdder();
    public final LongAdder wokenByPoll = new LongAdder();
    public final LongAdder takenBack = new LongAdder();
    public final LongAdder renewed = new LongAdder();
    public final LongAdder notRenewed = new LongAdder();
}
