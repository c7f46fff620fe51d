package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.util.concurrent.Executor;

/**
 * What all rooms of a client share.
 *
 * @param pollNanos how long a head sleeps at most before it asks again although nothing wakes it
 */
record RoomParts(Timer timer, Ticker ticker, long pollNanos, Crowd crowd, Counters counters, Executor ownThreads) {}
