package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What all locks of one client share. */
public record ClientParts(
        ClientSettings settings,
        RedisGateway gateway,
        WaitingRooms rooms,
        GrantMessages messages,
        Watchdog watchdog,
        EventPublisher events,
        PendingReleases releases,
        HeldGrants heldGrants,
        ThreadHolds<HeldLease> holds,
        OwnerIds owners,
        ClientNames names,
        LockInspector inspector,
        Counters counters,
        Timer timer,
        Ticker ticker,
        AtomicLong highestToken,
        TokenMinimum tokenMinimum,
        AtomicBoolean closed) {}
