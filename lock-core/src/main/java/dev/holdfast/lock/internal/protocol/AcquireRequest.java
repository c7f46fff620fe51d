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
 * An acquisition.
 *
 * @param lockName the lock, as its user calls it
 * @param key the lock's key
 * @param owner the asker
 * @param terms the lease that it wants
 * @param tokens how many fencing tokens the grant is to have
 * @param highestDrawn the highest {@linkplain FencingTokens#drawn number drawn} that this client has seen: the next one is higher
 * @param placeLifetimeMillis for how long the owner's place in the queue counts as alive; 0 if it does not wait
 * @param hearing whether messages to the place arrive when this is sent
 * @param writerOwner the owner of the write lock that the asking thread holds, where it asks to read as well
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

    /** For how long a place is taken for alive, unless its client waits for thousands of locks. */
    static final long USUAL_LIFETIME_MILLIS = 5_000;

    /**
     * Whether messages to a place arrive. If not, a release grants to the place all the same for a short time: its client asks again by then, and
     * finds the grant. The client of a place with a longer lifetime asks too seldom for that.
     */
    public enum Hearing {
        YES(""),
        /** The subscription follows. */
        SOON(".25"),
        /** The subscription is refused, or the connection for messages is down. */
        NO(".5");

        private final String fraction;

        Hearing(String fraction) {
            this.fraction = fraction;
        }
    }

    /** The lifetime as the scripts take it, with the hearing as its fraction. */
    String placeLifetime() {
        return placeLifetimeMillis == USUAL_LIFETIME_MILLIS
                ? placeLifetimeMillis + hearing.fraction
                : Long.toString(placeLifetimeMillis);
    }

    /** The arguments with which every acquiring script begins. */
    List<String> arguments(String ownerOrField) {
        return new ArrayList<>(
                List.of(ownerOrField, Long.toString(highestDrawn), Long.toString(terms.ttlMillis()), placeLifetime()));
    }

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
