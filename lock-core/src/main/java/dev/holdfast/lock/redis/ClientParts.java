package dev.holdfast.lock.redis;

import dev.holdfast.lock.connection.RedisGateway;
import dev.holdfast.lock.lease.Announcer;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.Tally;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.lease.Watchdog;
import dev.holdfast.lock.thread.ThreadHolds;
import dev.holdfast.lock.waiting.WaitingRooms;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What all locks of one client share. */
record ClientParts(
        ClientSettings settings,
        RedisGateway gateway,
        WaitingRooms rooms,
        Watchdog watchdog,
        Announcer announcer,
        Releases releases,
        HeldGrants heldGrants,
        ThreadHolds<HeldLease> holds,
        OwnerIds owners,
        ClientNames names,
        Holders holders,
        Tally tally,
        Timer timer,
        Ticker ticker,
        AtomicLong highestToken,
        TokenFloor tokenFloor,
        AtomicBoolean closed) {}
