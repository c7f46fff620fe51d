package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
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
    public CompletionStage<Reply> acquire(Question question) {
        String beside = question.beside();
        return scripts.acquire(
                ACQUIRE,
                question,
                question.owner(),
                List.of(beside == null ? "" : WriteProtocol.field(beside), writersFirst ? "1" : "0"));
    }

    @Override
    public CompletionStage<Released> release(Release release) {
        return scripts.release(release, release.owner());
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
