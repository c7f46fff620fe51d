package dev.holdfast.lock.redis;

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
interface LockProtocol {

    /** What an acquisition brought. */
    sealed interface Reply {

        /** The owner has it, with fencing tokens from this one on, and valid from when the command was sent. */
        record Granted(long firstToken, long sentAt) implements Reply {}

        /** Somebody else has it, or that one of several. A negative time is a key without an end. */
        record Busy(
                long retryAfterMillis,
                String holder,
                @Nullable String which) implements Reply {

            Busy(long retryAfterMillis, String holder) {
                this(retryAfterMillis, holder, null);
            }
        }
    }

    /**
     * What a release brought.
     *
     * @param wasOwner whether the lock was the owner's
     * @param listeners how many clients heard of it; negative if it could not be said
     */
    record Released(boolean wasOwner, long listeners) {}

    /**
     * An acquisition.
     *
     * @param key the lock
     * @param owner who asks
     * @param terms the lease that is wanted
     * @param highestDrawn the highest {@linkplain FencingTokens#drawn number drawn} that this client has seen: the next one is higher
     * @param waits whether the owner will go on asking if refused
     * @param beside the owner of the write lock that the asking thread holds, where it asks to read as well
     */
    record Question(
            String key,
            String owner,
            LeaseTerms terms,
            long highestDrawn,
            boolean waits,
            @Nullable String beside) {

        Question(String key, String owner, LeaseTerms terms, long highestDrawn, boolean waits) {
            this(key, owner, terms, highestDrawn, waits, null);
        }
    }

    CompletionStage<Reply> acquire(Question question);

    CompletionStage<Released> release(String key, String owner, long keepMillis);

    /** Answers false if the lock is not the owner's. */
    CompletionStage<Boolean> extend(String key, String owner, long ttlMillis);

    /** Hears that the last of this client's waiters has gone without the lock. */
    default void nobodyWaits(String key) {}

    /** The script that renews many at once. */
    Script renewal();

    /** The keys by which that script knows a grant. */
    default List<String> renewed(Grant grant) {
        return List.of(grant.key());
    }

    /** What the lock's hash calls the grant's owner. */
    default String field(Grant grant) {
        return grant.owner();
    }

    /** Where releases are announced. */
    String channel(String key);

    /** All channels on which a release may be heard that a waiter for this lock waits for. */
    default List<String> channels(String key) {
        return List.of(channel(key));
    }

    /** Those on which it is heard by one owner, who asks under one id for as long as it waits. */
    default List<String> channels(String key, String owner) {
        return channels(key);
    }

    /** Whether Redis may lose a part of the lock and keep the rest, which is then to be freed. */
    default boolean hasParts() {
        return false;
    }
}
