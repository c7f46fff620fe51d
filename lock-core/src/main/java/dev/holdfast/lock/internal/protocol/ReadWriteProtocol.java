package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.List;
import java.util.concurrent.CompletionStage;

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
                KindTraits.of(side),
                gateway,
                keys,
                minReplicas,
                grace,
                Scripts.ReadWrite.RENEW,
                Scripts.ReadWrite.ASSERT);
        this.reads = side == LockKind.READ;
        this.writersFirst = writersFirst;
    }

    @Override
    String holder(String owner) {
        return reads ? owner : OwnerId.writerField(owner);
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        List<String> args = request.arguments(holder(request.owner()));
        if (reads) {
            String writer = request.writerOwner();
            args.add(writer == null ? "" : OwnerId.writerField(writer));
            args.add(writersFirst ? "1" : "0");
        }
        if (asserts) {
            args.add(grace.argument());
        }
        return ask(
                reads ? Scripts.ReadWrite.READ_ACQUIRE : Scripts.ReadWrite.WRITE_ACQUIRE,
                keys.withTokenKey(List.of(request.key())),
                args,
                request);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        String field = holder(request.owner());
        String keep = Long.toString(request.keepMillis());
        List<String> args = asserts ? List.of(field, keep, grace.argument()) : List.of(field, keep);
        return gateway.run(
                Scripts.ReadWrite.RELEASE, keys.withTokenKey(List.of(request.key())), args, LockProtocol::released);
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
