package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The writers' side of a read/write lock, as {@code docs/protocol.md} states it. */
public final class WriteProtocol implements LockProtocol {

    private static final String WRITER = ":write";
    private static final Script ACQUIRE = Script.load(WriteProtocol.class, "write-acquire");

    private final ReadWriteScripts scripts;
    private final LockKeys keys;

    public WriteProtocol(ReadWriteScripts scripts, LockKeys keys) {
        this.scripts = scripts;
        this.keys = keys;
    }

    /** The hash field of a writer. */
    static String field(String owner) {
        return owner + WRITER;
    }

    /** Whether a hash field is a writer's. */
    public static boolean isField(String field) {
        return field.endsWith(WRITER);
    }

    /** The holder's id in a hash field, whichever side it is on. */
    public static String owner(String field) {
        return isField(field) ? field.substring(0, field.length() - WRITER.length()) : field;
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        return scripts.acquire(ACQUIRE, request, field(request.owner()), List.of());
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        return scripts.release(request, field(request.owner()));
    }

    @Override
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        return scripts.extend(grant.key(), field(grant.owner()), ttlMillis);
    }

    @Override
    public Script renewal() {
        return ReadWriteScripts.RENEW;
    }

    @Override
    public List<String> renewed(Grant grant) {
        return scripts.renewed(grant, field(grant.owner()));
    }

    @Override
    public List<String> renewal(Grant grant, long leaseMillis) {
        return List.of(field(grant.owner()), Long.toString(leaseMillis));
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
