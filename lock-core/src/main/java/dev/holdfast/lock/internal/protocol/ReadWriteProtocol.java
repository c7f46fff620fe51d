package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.reign.Grace;
import java.util.List;

/**
 * One side of a read/write lock, as described in {@code docs/contributing/protocol.md}. Each holder has a field in the lock's hash, and a key of its own that
 * expires with its lease. A reader's field is its owner id. A writer's field is its owner id followed by a suffix.
 */
public final class ReadWriteProtocol extends LockProtocol {

    private final boolean reads;
    private final boolean writersFirst;

    /**
     * Creates one side of the lock.
     *
     * @param side {@link LockKind#READ} or {@link LockKind#WRITE}
     * @param writersFirst whether a waiting writer blocks new readers
     */
    public ReadWriteProtocol(
            RedisGateway gateway, LockKeys keys, int minReplicas, LockKind side, boolean writersFirst, Grace grace) {
        super(
                side,
                new Family(
                        side == LockKind.READ ? Scripts.ReadWrite.READ_ACQUIRE : Scripts.ReadWrite.WRITE_ACQUIRE,
                        Scripts.ReadWrite.RELEASE,
                        Scripts.ReadWrite.RENEW,
                        Scripts.ReadWrite.ASSERT),
                gateway,
                keys,
                minReplicas,
                grace);
        this.reads = side == LockKind.READ;
        this.writersFirst = writersFirst;
    }

    @Override
    String holder(String owner) {
        return reads ? owner : OwnerId.writerField(owner);
    }

    @Override
    List<String> arguments(AcquireRequest request) {
        List<String> args = request.arguments(holder(request.owner()));
        if (reads) {
            String writer = request.writerOwner();
            args.add(writer == null ? "" : OwnerId.writerField(writer));
            args.add(writersFirst ? "1" : "0");
        }
        return withGrace(args);
    }

    @Override
    List<String> arguments(String owner, String seen, long keepMillis) {
        return withGrace(List.of(holder(owner), Long.toString(keepMillis)));
    }

    @Override
    String kind() {
        return reads ? "read" : "write";
    }

    @Override
    public String channel(String key) {
        return keys.readWriteChannel(key);
    }
}
