package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.util.concurrent.Executor;

/** What all rooms of a client share. */
record RoomParts(Timer timer, Ticker ticker, WaitingRules rules, Crowd crowd, Counters counters, Executor ownThreads) {}
