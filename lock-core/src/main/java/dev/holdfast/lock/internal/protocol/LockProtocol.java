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
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The representation of one kind of lock in Redis. Knows the keys, fields and scripts of the kind, but knows nothing about waiting or threads. Every
 * stage fails with a {@link dev.holdfast.lock.internal.connection.RedisFailure}.
 */
public abstract class LockProtocol implements Renewals {

    /** The largest number of leases that one script renews. Larger scripts would block the server's single thread for too long. */
    private static final int LARGEST_BATCH = 100;

    private static final int NO_SLOT = -1;

    /** The answer of a releasing script if the lock did not belong to the owner. */
    private static final long NOT_THE_OWNERS = -2;

    /**
     * A release.
     *
     * @param keepMillis how many ms the lock stays taken after the release
     * @param highestDrawn the highest number drawn that this client has seen. Used if the release grants the lock to the next place in the queue
     */
    public record ReleaseRequest(String key, String owner, long keepMillis, long highestDrawn) {}

    /**
     * The outcome of a release.
     *
     * @param wasOwner whether the lock belonged to the owner
     * @param heard the number of Redisson's clients that received the message about the release; negative if the Redis user has no right to publish
     *     messages
     */
    public record ReleaseResult(boolean wasOwner, long heard) {

        /** Returns whether other clients could be notified. */
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

    /** Returns the traits of the kind that waiters and holders depend on. */
    public final KindTraits traits() {
        return traits;
    }

    /** Requests the lock once. The answer says either that the lock is granted or that it is busy. Without an answer, the stage fails. */
    public abstract CompletionStage<Answer> acquire(AcquireRequest request);

    /** Releases the lock, or removes the owner's place from the queue. */
    public abstract CompletionStage<ReleaseResult> release(ReleaseRequest request);

    /** Extends one lease in the same way as a renewal. The answer is false if the lock does not belong to the owner of the grant. */
    public final CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        grant.told(TimeUnit.MILLISECONDS.toNanos(ttlMillis));
        return gateway.run(renewal(), renewed(grant), renewal(grant, ttlMillis)).thenApply(LockProtocol::areYes);
    }

    /** Returns the script that renews many leases at once. Its answer has one value for each key, or one value for each grant. */
    public abstract Script renewal();

    /** Returns the keys of a grant that the renewing script needs. */
    List<String> renewed(Grant grant) {
        return List.of(grant.key());
    }

    /** Returns the arguments of the renewing script for one grant. */
    public List<String> renewal(Grant grant, long leaseMillis) {
        return List.of(grant.owner(), Long.toString(leaseMillis), Long.toString(grant.firstToken()));
    }

    /** Returns the channel on which Redisson's clients announce releases, and on which releases are announced to them. */
    public String channel(String key) {
        return keys.plainChannel(key);
    }

    /** Returns the channel on which Redisson's clients announce releases to one owner. */
    public String channel(String key, String owner) {
        return channel(key);
    }

    /** Returns the first part of the names of the channels on which clients are notified about the lock. */
    public String wakePrefix(String key) {
        return keys.wakePrefix(key);
    }

    /** Returns whether the keys of one script must share a slot. */
    public boolean hasSlots() {
        return keys.isCluster();
    }

    /** Returns whether a channel that was named earlier is still the one on which a client is notified. */
    public boolean isWakeChannel(String channel) {
        return keys.isWakeChannel(channel);
    }

    /** Renews up to a hundred leases with one script. In a cluster, the leases of one script share a slot. All scripts are sent at once. */
    @Override
    public final void renew(List<HeldLease> due) {
        Map<Integer, List<HeldLease>> slots = due.stream().collect(Collectors.groupingBy(this::slotOf));
        // A lease on several locks has one key for each of them, so its script renews no other lease.
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
     * Renews leases with one script.
     *
     * @param missed whether an earlier script for several locks has missed this lease
     */
    private void send(List<HeldLease> batch, boolean missed) {
        List<String> names = new ArrayList<>(batch.size());
        List<String> args = new ArrayList<>(3 * batch.size());
        // Kept for the answer, because a nested hold may request longer renewals in the meantime.
        long[] asked = new long[batch.size()];
        for (int i = 0; i < asked.length; i++) {
            Grant grant = batch.get(i).grant();
            asked[i] = batch.get(i).renewalNanos();
            grant.told(asked[i]);
            names.addAll(renewed(grant));
            args.addAll(renewal(grant, TimeUnit.NANOSECONDS.toMillis(asked[i])));
        }
        Consumer<ScriptResult> late = result -> confirm(batch, asked, result);
        gateway.run(renewal(), names, args, result -> result, late).whenComplete((result, failure) -> {
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

    /** Called with an answer after the command timeout, which counts from its own sending. What it does not confirm, the next renewal asks again. */
    private static void confirm(List<HeldLease> batch, long[] asked, ScriptResult result) {
        int each = result.values().size() / batch.size();
        for (int i = 0; i < batch.size(); i++) {
            if (areYes(result.values().subList(i * each, (i + 1) * each))) {
                batch.get(i).renewalConfirmed(result.sentAt(), asked[i]);
            }
        }
    }

    /**
     * Returns whether the script may have run on a server that does not have all of the locks. A proxy may send a script to the server of its first
     * key.
     */
    private boolean mayBeElsewhere(List<HeldLease> batch) {
        return batch.size() > 1 && !keys.isCluster();
    }

    /** Returns whether Redis refused the batch because it uses several slots. From now on, the client knows that keys have slots. */
    private boolean isForOneSlotEach(Throwable failure, List<HeldLease> batch) {
        return RedisFailure.of(failure).isForKeys()
                && batch.stream().map(this::slotOf).distinct().count() > 1;
    }

    /** Returns whether Redis confirmed every key of a lease. */
    private static boolean areYes(List<Object> answers) {
        return answers.stream().allMatch(answer -> (Long) answer == 1);
    }

    /** Runs an acquiring script and converts its answer. */
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
     * Converts the answer of an acquiring script that refuses the lock. The answer consists of: 0; the remaining ms (negative for a key that does not
     * expire); the holder (empty if unknown); the last number drawn (negative if no release ever grants the lock to the owner); 1 if the owner is
     * near the head of the queue, plus 2 if a Redisson client comes first; and, for several locks, the one that is taken. If a Redisson client holds
     * the lock, it also comes first for an owner near the head.
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

    /** Returns whether the answer of a script grants the request. The first value of such an answer is not 0; it may be a token. */
    public static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) != 0;
    }

    /** Converts the answer of a releasing script. */
    static ReleaseResult released(ScriptResult result) {
        long heard = (Long) result.values().get(0);
        return heard == NOT_THE_OWNERS ? new ReleaseResult(false, 0) : new ReleaseResult(true, heard);
    }
}
