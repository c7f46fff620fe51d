package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The readers' side of a read/write lock, as {@code docs/protocol.md} states it. A reader's field is its owner's id. */
public final class ReadProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(ReadProtocol.class, "read-acquire");

    private final ReadWriteScripts scripts;
    private final LockKeys keys;
    private final boolean writersFirst;

    public ReadProtocol(ReadWriteScripts scripts, LockKeys keys, boolean writersFirst) {
        this.scripts = scripts;
        this.keys = keys;
        this.writersFirst = writersFirst;
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        String writer = request.writerOwner();
        return scripts.acquire(
                ACQUIRE,
                request,
                request.owner(),
                List.of(writer == null ? "" : WriteProtocol.field(writer), writersFirst ? "1" : "0"));
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        return scripts.release(request, request.owner());
    }

    @Override
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        return scripts.extend(grant.key(), grant.owner(), ttlMillis);
    }

    @Override
    public Script renewal() {
        return ReadWriteScripts.RENEW;
    }

    @Override
    public List<String> renewed(Grant grant) {
        return scripts.renewed(grant, grant.owner());
    }

    @Override
    public List<String> renewal(Grant grant, long leaseMillis) {
        return List.of(grant.owner(), Long.toString(leaseMillis));
    }

    @Override
    public String wakePrefix(String key) {
        return keys.wakePrefix(key);
    }

    @Override
    public String channel(String key) {
        return keys.readWriteChannel(key);
    }
}
