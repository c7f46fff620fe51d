package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One kind of lock as Redis keeps it. Knows the kind's keys, fields and scripts and nothing of waiting, renewal or threads. Every stage fails
 * with a {@link dev.holdfast.lock.internal.connection.RedisFailure}.
 */
public interface LockProtocol {

    /** What an acquisition brought. */
    sealed interface Reply {

        /**
         * The owner has it.
         *
         * @param firstToken of its fencing tokens
         * @param sentAt when the command was sent: the lease counts from here
         * @param leftMillis what the lease has left if the owner had the lock already, {@link #AS_ASKED} if this command granted it
         */
        record Granted(long firstToken, long sentAt, long leftMillis) implements Reply {
            public static final long AS_ASKED = -1;
        }

        /**
         * Another owner has it.
         *
         * @param retryAfterMillis what its lease has left; negative for a key without an end
         * @param which the lock that it has, where several are asked for as one
         * @param sentAt when the command was sent
         * @param lastDrawn the last number that was drawn: every later grant has a greater one
         * @param nearHead whether the asker is one of the next in line
         */
        record Busy(
                long retryAfterMillis,
                String holder,
                @Nullable String which,
                long sentAt,
                long lastDrawn,
                boolean nearHead)
                implements Reply {}
    }

    /**
     * An acquisition.
     *
     * @param key the lock
     * @param owner who asks
     * @param terms the lease that is wanted
     * @param highestDrawn the highest {@linkplain FencingTokens#drawn number drawn} that this client has seen: the next one is higher
     * @param patienceMillis for how long the owner's place in line is taken for alive; 0 if it does not wait
     * @param beside the owner of the write lock that the asking thread holds, where it asks to read as well
     */
    record Question(
            String key,
            String owner,
            LeaseTerms terms,
            long highestDrawn,
            long patienceMillis,
            @Nullable String beside) {}

    /**
     * A release.
     *
     * @param keepMillis how long the lock stays taken all the same
     * @param highestDrawn as for an acquisition: the release may grant the lock to the next in line
     */
    record Release(String key, String owner, long keepMillis, long highestDrawn) {}

    CompletionStage<Reply> acquire(Question question);

    /**
     * What a release brought.
     *
     * @param wasOwner whether the lock was the owner's
     * @param told whether others could be told; false if the Redis user lacks a right
     */
    record Released(boolean wasOwner, boolean told) {}

    /** Frees the lock, or leaves its line. */
    CompletionStage<Released> release(Release release);

    /** Answers false if the lock is not the grant's owner's. */
    CompletionStage<Boolean> extend(Grant grant, long ttlMillis);

    /** The script that renews many at once. */
    Script renewal();

    /** The keys by which that script knows a grant. */
    default List<String> renewed(Grant grant) {
        return List.of(grant.key());
    }

    /** What that script is told of a grant. */
    default List<String> renewal(Grant grant, long leaseMillis) {
        return List.of(grant.owner(), Long.toString(leaseMillis), Long.toString(grant.firstToken()));
    }

    /** Where releases are announced to Redisson's clients, and by them. */
    String channel(String key);

    /** Where Redisson's releases are announced to one owner. */
    default String channel(String key, String owner) {
        return channel(key);
    }

    /** What the names of the channels begin with on which clients hear of the lock. */
    String wakePrefix(String key);

    /** Whether Redis may lose a part of the lock and keep the rest, which is then to be freed. */
    default boolean hasParts() {
        return false;
    }
}
