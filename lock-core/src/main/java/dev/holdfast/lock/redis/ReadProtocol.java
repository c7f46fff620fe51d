package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The readers' side of a read/write lock, as {@code docs/protocol.md} states it. A reader's field is its owner's id. */
final class ReadProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(ReadProtocol.class, "read-acquire");

    private final ReadWriteScripts scripts;
    private final LockKeys keys;
    private final boolean writersFirst;

    ReadProtocol(ReadWriteScripts scripts, LockKeys keys, boolean writersFirst) {
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
    public CompletionStage<Released> release(String key, String owner, long keepMillis) {
        return scripts.release(key, owner, keepMillis);
    }

    @Override
    public CompletionStage<Boolean> extend(String key, String owner, long ttlMillis) {
        return scripts.extend(key, owner, ttlMillis);
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
    public String channel(String key) {
        return keys.readWriteChannel(key);
    }
}
