package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.OwnerId;
import org.jspecify.annotations.Nullable;

/** One lock of a session: its name, its identity, and how Redis keeps it. */
final class NamedLock {

    final String name;
    final LockId id;
    final LockProtocol protocol;
    /** The number of fencing tokens of a grant, one for each of its successive holders in this client. */
    final int tokens;
    /** Whether a released grant may be handed over to the next local waiter. */
    final boolean handsOver;

    private volatile @Nullable String wakeChannel;

    /**
     * Creates the description of a lock.
     *
     * @param handOvers the largest number of times that one grant is handed over
     */
    NamedLock(String name, LockId id, LockProtocol protocol, int handOvers) {
        this.name = name;
        this.id = id;
        this.protocol = protocol;
        this.tokens = protocol.isHandedOver() ? handOvers + 1 : 1;
        this.handsOver = tokens > 1;
    }

    /** Returns the channel on which a client is notified about the lock. The channel changes when the client detects that keys have slots. */
    String wakeChannel(OwnerId.Source client) {
        String known = wakeChannel;
        if (known == null || !protocol.isWakeChannel(known)) {
            known = client.channel(protocol.wakePrefix(id.key()));
            wakeChannel = known;
        }
        return known;
    }
}
