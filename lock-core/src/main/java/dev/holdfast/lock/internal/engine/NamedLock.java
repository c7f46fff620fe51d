package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.waiting.RoomId;

/**
 * One lock of a started client.
 *
 * @param name the lock, as its user calls it
 * @param id what tells it from the client's other locks
 * @param room where its waiters wait together
 * @param kind how its kind works
 * @param client the start of the client that it belongs to
 */
record NamedLock(String name, LockId id, RoomId room, RedisKind kind, OpenClient client) {

    String key() {
        return id.key();
    }

    LockKind lockKind() {
        return id.kind();
    }

    LockProtocol protocol() {
        return kind.protocol();
    }
}
