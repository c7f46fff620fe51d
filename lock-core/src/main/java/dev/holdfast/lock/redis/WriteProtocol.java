package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The writers' side of a read/write lock, as {@code docs/protocol.md} states it. */
final class WriteProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(WriteProtocol.class, "write-acquire");
    private static final Script WITHDRAW = Script.load(WriteProtocol.class, "rw-withdraw");

    private final ReadWriteScripts scripts;
    private final RedisGateway gateway;
    private final LockKeys keys;
    private final String client;
    private final long markMillis;

    /**
     * Creates the side.
     *
     * @param client whose marks these are
     * @param markMillis how long a waiting writer that is not heard of any more keeps new readers out; 0 if it never does
     */
    WriteProtocol(ReadWriteScripts scripts, RedisGateway gateway, LockKeys keys, String client, long markMillis) {
        this.scripts = scripts;
        this.gateway = gateway;
        this.keys = keys;
        this.client = client;
        this.markMillis = markMillis;
    }

    /** The hash field of a writer. */
    static String field(String owner) {
        return owner + ":write";
    }

    @Override
    public CompletionStage<Reply> acquire(Question question) {
        long mark = question.waits() ? markMillis : 0;
        return scripts.acquire(ACQUIRE, question, field(question.owner()), List.of(Long.toString(mark), client));
    }

    @Override
    public void nobodyWaits(String key) {
        if (markMillis > 0) {
            // What is not heard of this is over when the mark's time is.
            gateway.run(
                    WITHDRAW,
                    List.of(keys.writerMark(key)),
                    List.of(client, keys.readWriteChannel(key), keys.clusterFlag()));
        }
    }

    @Override
    public CompletionStage<Released> release(Release release) {
        return scripts.release(release, field(release.owner()));
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
    public String channel(String key) {
        return keys.readWriteChannel(key);
    }
}
