package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One kind of lock as Redis keeps it. Knows the kind's keys, fields and scripts and nothing of waiting or threads. Every stage fails with a
 * {@link dev.holdfast.lock.internal.connection.RedisFailure}.
 */
public abstract class LockProtocol implements Renewals {

    /** How many leases one script renews: larger scripts keep the server's one thread from others for too long. */
    private static final int LARGEST_BATCH = 100;

    private static final int NO_SLOT = -1;

    /** What a releasing script returns if the lock was not the owner's. */
    private static final long NOT_THE_OWNERS = -2;

    /**
     * A release.
     *
     * @param keepMillis how long the lock stays taken all the same
     * @param highestDrawn as for an acquisition: the release may grant the lock to the next in the queue
     */
    public record ReleaseRequest(String key, String owner, long keepMillis, long highestDrawn) {}

    /**
     * The outcome of a release.
     *
     * @param wasOwner whether the lock was the owner's
     * @param heard how many of Redisson's clients heard of it; negative if the Redis user lacks a right to tell others
     */
    public record ReleaseResult(boolean wasOwner, long heard) {

        /** Whether others could be told. */
        public boolean told() {
            return heard >= 0;
        }
    }

    final RedisGateway gateway;
    final LockKeys keys;
    private final KindTraits traits;
    private final int minReplicas;

    LockProtocol(KindTraits traits, RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.traits = traits;
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    /** What the kind is to waiters and holders. */
    public final KindTraits traits() {
        return traits;
    }

    /** Asks for the lock once. The answer is granted or busy, never unknown. */
    public abstract CompletionStage<Answer> acquire(AcquireRequest request);

    /** Frees the lock, or leaves its queue. */
    public abstract CompletionStage<ReleaseResult> release(ReleaseRequest request);

    /** Lengthens one lease, as a renewal does. Answers false if the lock is not the grant's owner's. */
    public final CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        grant.told(TimeUnit.MILLISECONDS.toNanos(ttlMillis));
        return gateway.run(renewal(), renewed(grant), renewal(grant, ttlMillis)).thenApply(LockProtocol::areYes);
    }

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

    /** Whether the keys of one script must share a slot. */
    public boolean hasSlots() {
        return keys.isCluster();
    }

    /** Whether clients still hear of locks on a channel that was named before. */
    public boolean isWakeChannel(String channel) {
        return keys.isWakeChannel(channel);
    }

    /** Up to a hundred leases to a script, in a cluster those of one slot. All commands leave at once and each is answered on its own. */
    @Override
    public final void renew(List<HeldLease> due) {
        Map<Integer, List<HeldLease>> slots = due.stream().collect(Collectors.groupingBy(this::slotOf));
        // A lease on several locks has a key for each of them.
        int largest = traits.hasMembers() ? 1 : LARGEST_BATCH;
        for (List<HeldLease> leases : slots.values()) {
            for (int from = 0; from < leases.size(); from += largest) {
                send(leases.subList(from, Math.min(from + largest, leases.size())), false);
            }
        }
    }

    private int slotOf(HeldLease lease) {
        return keys.isCluster() ? RedisGateway.slotOf(lease.grant().key()) : NO_SLOT;
    }

    /**
     * Renews leases by one script.
     *
     * @param missed whether a script with other locks has missed the lease
     */
    private void send(List<HeldLease> batch, boolean missed) {
        List<String> names = new ArrayList<>(batch.size());
        List<String> args = new ArrayList<>(3 * batch.size());
        // Kept for the answer: a nested hold may ask for longer renewals meanwhile.
        long[] asked = new long[batch.size()];
        for (int i = 0; i < asked.length; i++) {
            Grant grant = batch.get(i).grant();
            asked[i] = batch.get(i).renewalNanos();
            grant.told(asked[i]);
            names.addAll(renewed(grant));
            args.addAll(renewal(grant, TimeUnit.NANOSECONDS.toMillis(asked[i])));
        }
        gateway.run(renewal(), names, args, result -> result).whenComplete((result, failure) -> {
            if (failure != null && isForOneSlotEach(failure, batch)) {
                renew(batch);
                return;
            }
            int each = failure == null ? result.values().size() / batch.size() : 0;
            for (int i = 0; i < batch.size(); i++) {
                if (failure != null) {
                    batch.get(i).renewalFailed(failure);
                } else if (areYes(result.values().subList(i * each, (i + 1) * each))) {
                    batch.get(i).renewalConfirmed(result.sentAt(), asked[i]);
                    if (missed) {
                        keys.missed();
                    }
                } else if (mayBeElsewhere(batch)) {
                    send(List.of(batch.get(i)), true);
                } else {
                    batch.get(i).gone();
                }
            }
        });
    }

    /** Whether a script may have run where its other locks are not: a proxy may send it to the server of its first key. */
    private boolean mayBeElsewhere(List<HeldLease> batch) {
        return batch.size() > 1 && !keys.isCluster();
    }

    /** Whether a batch of several slots was refused for that, which is known from now on. */
    private boolean isForOneSlotEach(Throwable failure, List<HeldLease> batch) {
        return RedisFailure.of(failure).isForKeys()
                && batch.stream().map(this::slotOf).distinct().count() > 1;
    }

    /** A lease is confirmed only where Redis names its owner for every one of its keys. */
    private static boolean areYes(List<Object> answers) {
        return answers.stream().allMatch(answer -> (Long) answer == 1);
    }

    /** Runs an acquiring script. */
    final CompletionStage<Answer> ask(Script script, List<String> names, List<String> args, AcquireRequest request) {
        return gateway.runReplicated(
                script,
                names,
                args,
                minReplicas,
                LockProtocol::isYes,
                result -> isYes(result.values()) ? request.granted(result) : busy(result));
    }

    /**
     * Reads what every acquiring script returns for a refusal: 0, how many ms are left (negative for a key without an end), the holder (empty if
     * unknown), the last number drawn (negative if no release ever grants the lock), 1 if near the head of the queue, plus 2 if a Redisson client
     * comes before the asker, and, of several locks, the one that is taken. A Redisson client that holds the lock concerns those near the head.
     */
    private static Busy busy(ScriptResult result) {
        List<Object> answer = result.values();
        long left = (Long) answer.get(1);
        OwnerId holder = OwnerId.ofField((String) answer.get(2));
        boolean isKnown = !holder.text().isEmpty();
        long drawn = (Long) answer.get(3);
        long near = (Long) answer.get(4);
        return new Busy(
                left < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(left),
                isKnown ? holder.text() : null,
                answer.size() > 5 ? (String) answer.get(5) : null,
                result.sentAt(),
                drawn < 0 ? Busy.NOT_TOLD : drawn,
                near % 2 == 1,
                near > 1 || (near == 1 && isKnown && !holder.isOurs()));
    }

    /** A token, too, is a yes. */
    public static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) != 0;
    }

    /** Reads what every releasing script returns. */
    static ReleaseResult released(ScriptResult result) {
        long heard = (Long) result.values().get(0);
        return heard == NOT_THE_OWNERS ? new ReleaseResult(false, 0) : new ReleaseResult(true, heard);
    }
}
