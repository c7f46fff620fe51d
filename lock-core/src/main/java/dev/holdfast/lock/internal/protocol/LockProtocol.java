package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One kind of lock as Redis keeps it. Knows the kind's keys, fields and scripts and nothing of waiting, renewal or threads. Every stage fails
 * with a {@link dev.holdfast.lock.internal.connection.RedisFailure}.
 */
public abstract class LockProtocol {

    /**
     * An acquisition.
     *
     * @param lockName the lock, as its user calls it
     * @param key the lock's key
     * @param owner the asker
     * @param terms the lease that it wants
     * @param tokens how many fencing tokens the grant is to have
     * @param highestDrawn the highest {@linkplain FencingTokens#drawn number drawn} that this client has seen: the next one is higher
     * @param patienceMillis for how long the owner's place in line is taken for alive; 0 if it does not wait
     * @param writerOwner the owner of the write lock that the asking thread holds, where it asks to read as well
     */
    public record AcquireRequest(
            String lockName,
            String key,
            String owner,
            LeaseTerms terms,
            int tokens,
            long highestDrawn,
            long patienceMillis,
            @Nullable String writerOwner) {

        /**
         * Reads what every acquiring script returns for a grant: the first token, or 1, the token and, for one that the owner had already,
         * what is left of it.
         */
        Answer.Granted granted(ScriptResult result) {
            List<Object> answer = result.values();
            long lease = answer.size() > 2 ? TimeUnit.MILLISECONDS.toNanos((Long) answer.get(2)) : terms.leaseNanos();
            long token = (Long) answer.get(answer.size() == 1 ? 0 : 1);
            return new Answer.Granted(new Grant(lockName, key, owner, token, tokens, result.sentAt(), lease));
        }
    }

    /**
     * A release.
     *
     * @param keepMillis how long the lock stays taken all the same
     * @param highestDrawn as for an acquisition: the release may grant the lock to the next in line
     */
    public record ReleaseRequest(String key, String owner, long keepMillis, long highestDrawn) {}

    /**
     * The outcome of a release.
     *
     * @param wasOwner whether the lock was the owner's
     * @param told whether others could be told; false if the Redis user lacks a right
     */
    public record ReleaseResult(boolean wasOwner, boolean told) {}

    final RedisGateway gateway;
    final LockKeys keys;
    private final int minReplicas;

    LockProtocol(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    /** Asks for the lock once. The answer is granted or busy, never unknown. */
    public abstract CompletionStage<Answer> acquire(AcquireRequest request);

    /** Frees the lock, or leaves its line. */
    public abstract CompletionStage<ReleaseResult> release(ReleaseRequest request);

    /** Answers false if the lock is not the grant's owner's. */
    public abstract CompletionStage<Boolean> extend(Grant grant, long ttlMillis);

    /** The script that renews many at once. It answers for each key of a grant, or once for all of them. */
    public abstract Script renewal();

    /** The keys by which that script knows a grant. */
    List<String> renewed(Grant grant) {
        return List.of(grant.key());
    }

    /** The arguments of that script for one grant. */
    public List<String> renewal(Grant grant, long leaseMillis) {
        return List.of(grant.owner(), Long.toString(leaseMillis), Long.toString(grant.firstToken()));
    }

    /** Where releases are announced to Redisson's clients, and by them. */
    public String channel(String key) {
        return keys.plainChannel(key);
    }

    /** Where Redisson's releases are announced to one owner. */
    public String channel(String key, String owner) {
        return channel(key);
    }

    /** The start of the names of the channels on which clients hear of the lock. */
    public String wakePrefix(String key) {
        return keys.wakePrefix(key);
    }

    /** Whether Redis may lose a part of the lock and keep the rest, which is then to be freed. */
    public boolean hasParts() {
        return false;
    }

    /** Runs an acquiring script. A grant looks the same for all kinds, a refusal does not. */
    final CompletionStage<Answer> ask(
            Script script,
            List<String> names,
            List<String> args,
            AcquireRequest request,
            Function<ScriptResult, Answer> refusal) {
        return gateway.runReplicated(
                script,
                names,
                args,
                minReplicas,
                LockProtocol::isYes,
                result -> isYes(result.values()) ? request.granted(result) : refusal.apply(result));
    }

    final CompletionStage<Boolean> extend(Script script, List<String> names, List<String> args) {
        return gateway.run(script, names, args).thenApply(LockProtocol::isYes);
    }

    /** A token, too, is a yes. */
    public static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) != 0;
    }

    static ReleaseResult result(List<Object> answer) {
        return new ReleaseResult(isYes(answer), (Long) answer.get(1) >= 0);
    }
}
