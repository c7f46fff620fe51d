package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock.
 *
 * @param lockName the name of the lock, as the caller gave it
 * @param key the lock's key
 * @param owner the owner id that the grant will have
 * @param terms the requested lease
 * @param tokens the number of fencing tokens of the grant
 * @param highestDrawn the highest {@linkplain FencingTokens#drawn number drawn} that this client has seen. The next number drawn is higher
 * @param placeLifetimeMillis the time for which the owner's place in the queue counts as alive; 0 if the owner does not wait
 * @param hearing whether messages to the place arrive when this request is sent
 * @param writerOwner the owner id of the write lock that the requesting thread holds, if this is a request for the read lock
 */
public record AcquireRequest(
        String lockName,
        String key,
        String owner,
        LeaseTerms terms,
        int tokens,
        long highestDrawn,
        long placeLifetimeMillis,
        Hearing hearing,
        @Nullable String writerOwner) {

    /** The lifetime of a place, unless its client waits for thousands of locks. */
    static final long USUAL_LIFETIME_MILLIS = 5_000;

    /**
     * Whether messages to a place arrive. If they do not, a release still grants the lock to the place, but only for a short time. The client of the
     * place asks again within this time and finds the grant. This value is sent only for a place with the usual lifetime, because a client whose
     * places live longer asks too seldom.
     */
    public enum Hearing {
        YES(""),
        /** The client is about to subscribe. */
        SOON(".25"),
        /** Redis refuses the subscription, or the connection for messages is down. */
        NO(".5");

        private final String fraction;

        Hearing(String fraction) {
            this.fraction = fraction;
        }
    }

    /** Returns the lifetime as an argument for the scripts. Its fraction encodes the hearing. */
    String placeLifetime() {
        return placeLifetimeMillis == USUAL_LIFETIME_MILLIS
                ? placeLifetimeMillis + hearing.fraction
                : Long.toString(placeLifetimeMillis);
    }

    /** Returns the first arguments of every acquiring script. */
    List<String> arguments(String ownerOrField) {
        return new ArrayList<>(
                List.of(ownerOrField, Long.toString(highestDrawn), Long.toString(terms.ttlMillis()), placeLifetime()));
    }

    /**
     * Converts the answer of an acquiring script that grants the lock. The answer is either the first token, or 1 followed by the first token and, if
     * the owner already had the grant, the rest of its lease.
     */
    Answer.Granted granted(ScriptResult result) {
        List<Object> answer = result.values();
        long lease = answer.size() > 2 ? TimeUnit.MILLISECONDS.toNanos((Long) answer.get(2)) : terms.leaseNanos();
        long token = (Long) answer.get(answer.size() == 1 ? 0 : 1);
        boolean coversMinHold = terms.minHoldNanos() == 0 || answer.size() <= 2 || lease >= terms.ttlNanos();
        Grant grant = new Grant(lockName, key, owner, token, tokens, result.sentAt(), lease);
        return new Answer.Granted(grant, coversMinHold);
    }
}
