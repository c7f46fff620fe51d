package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.HeldLease.Renewals;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.PollSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The representation of one kind of lock in Redis, as described in {@code docs/contributing/protocol.md}. Knows the keys, fields and scripts of the
 * kind, but knows nothing about waiting or threads. Every stage fails with a {@link dev.holdfast.lock.internal.connection.RedisFailure}.
 *
 * <ul>
 *   <li>The plain lock and the fair lock are a hash that contains the owner, and a queue of places. In the queue of a plain lock, each client has one
 *       place. In the queue of a fair lock, each waiter has one, and a release never skips the first place.
 *   <li>Several plain locks in one slot can have one owner. A single script acquires all of them or none. Each key has the same content as the key of a
 *       plain lock, so the combined lock and a single lock of the same name exclude each other.
 *   <li>The hash of a semaphore has a field for each held permit. The number of permits is part of the owner id, so Redis stores no number that could be
 *       lost or differ from the program's number.
 *   <li>Each holder of a read/write lock has a field in the lock's hash, and a key of its own that expires with its lease. A reader's field is its owner
 *       id. A writer's field is its owner id followed by a suffix.
 * </ul>
 */
public final class LockProtocol implements Renewals {

    /** The largest number of leases that one script renews. Larger scripts would block the server's single thread for too long. */
    private static final int LARGEST_BATCH = 100;

    private static final int NO_SLOT = -1;

    /** The answer of an asserting script for a hold that is the owner's but is not prolonged yet. */
    private static final Long NOT_YET = 2L;

    /** From this answer on, a renewed lease's holder is asked to stop. The rest is the age of the grant at the request. */
    private static final long STOP = 3;

    /** The flags of a refusal. */
    private static final long NEAR_HEAD = 1;

    private static final long REDISSON_FIRST = 2;
    private static final long CLOSED = 4;

    /** The answer of a releasing script if the lock did not belong to the owner. */
    private static final long NOT_THE_OWNERS = -2;

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
     * @param hears whether messages to the place arrive when this request is sent
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
            boolean hears,
            @Nullable String writerOwner) {

        /**
         * Returns the lifetime as an argument for the scripts. Its fraction says that messages do not arrive. A release still grants the lock to such a
         * place, but only for a second after its request. The client of the place asks again within this time and finds the grant. A lifetime that is
         * longer than usual has no fraction, because its client asks too seldom.
         */
        String placeLifetime() {
            return isDeaf() ? placeLifetimeMillis + ".5" : Long.toString(placeLifetimeMillis);
        }

        private boolean isDeaf() {
            return !hears && placeLifetimeMillis == PollSchedule.USUAL_LIFETIME_MILLIS;
        }

        /**
         * Converts the answer of an acquiring script that grants the lock. The answer is the first token. If the owner already had the grant, it is 1
         * followed by the first token and the rest of its lease, which is longer than requested if another waiter asked for it.
         */
        Grant granted(ScriptResult result) {
            boolean isNew = result.size() == 1;
            long token = result.number(isNew ? 0 : 1);
            long lease = isNew || result.number(2) <= terms.ttlMillis()
                    ? terms.leaseNanos()
                    : TimeUnit.MILLISECONDS.toNanos(result.number(2));
            return new Grant(lockName, key, owner, token, tokens, result.sentAt(), lease);
        }
    }

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

    private final LockKind kind;
    private final boolean inOrder;
    /** The name of the kind in the scripts, which is empty for the plain lock. */
    private final String kindName;
    /** The keys of several locks that have one owner; empty for a lock with one key. */
    private final List<String> several;

    private final boolean isReadWrite;
    /** Whether the scripts know the kind and the grace if nothing is said of them. */
    private final boolean isUsual;
    /** Whether a waiting writer blocks new readers. */
    private final boolean writersFirst;

    private final Script acquiring;
    private final Script releasing;
    /** Renews many leases at once, and asserts them if the client has a grace. Its answer has one value for each key. */
    private final Script renewing;

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final Grace grace;
    /** Whether the client has a grace. */
    private final boolean asserts;
    /** A duration and its text for the scripts. */
    private volatile Map.Entry<Long, String> usualMillis = Map.entry(0L, "0");

    /**
     * Creates the protocol of a kind.
     *
     * @param several the keys of several plain locks that have one owner; empty for a lock with one key
     * @param writersFirst whether a waiting writer blocks new readers
     */
    public LockProtocol(
            LockKind kind,
            List<String> several,
            RedisGateway gateway,
            LockKeys keys,
            int minReplicas,
            boolean writersFirst,
            Grace grace) {
        this.kind = kind;
        this.inOrder = kind.isFair();
        this.several = List.copyOf(several);
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
        this.writersFirst = writersFirst;
        this.grace = grace;
        this.asserts = grace.isOn();
        this.isReadWrite = kind == LockKind.READ || kind == LockKind.WRITE;
        this.isUsual = kind == LockKind.REENTRANT && several.isEmpty() && !asserts;
        this.kindName = switch (kind) {
            case REENTRANT -> "";
            case FAIR -> "fair";
            case SEMAPHORE -> "semaphore";
            case FAIR_SEMAPHORE -> "fair-semaphore";
            case READ -> "read";
            case WRITE -> "write";
        };
        this.acquiring = switch (kind) {
            case REENTRANT, FAIR -> hasMembers() ? Scripts.MULTI_ACQUIRE.get() : Scripts.ACQUIRE.get();
            case SEMAPHORE, FAIR_SEMAPHORE -> Scripts.SEMAPHORE_ACQUIRE.get();
            case READ -> Scripts.READ_ACQUIRE.get();
            case WRITE -> Scripts.WRITE_ACQUIRE.get();
        };
        this.releasing = switch (kind) {
            case REENTRANT, FAIR -> hasMembers() ? Scripts.MULTI_RELEASE.get() : Scripts.RELEASE.get();
            case SEMAPHORE, FAIR_SEMAPHORE -> Scripts.SEMAPHORE_RELEASE.get();
            case READ, WRITE -> Scripts.RW_RELEASE.get();
        };
        this.renewing = switch (kind) {
            case REENTRANT, FAIR -> asserts ? Scripts.ASSERT.get() : Scripts.RENEW.get();
            case SEMAPHORE, FAIR_SEMAPHORE -> asserts ? Scripts.SEMAPHORE_ASSERT.get() : Scripts.SEMAPHORE_RENEW.get();
            case READ, WRITE -> asserts ? Scripts.RW_ASSERT.get() : Scripts.RW_RENEW.get();
        };
    }

    /** Returns whether a release in Redis may grant the lock to the next place in the queue. If not, the release tells this place to ask. */
    public boolean isGrantedByRelease() {
        return !isReadWrite && !hasMembers();
    }

    /**
     * Returns whether a released grant may be handed over to the next local waiter. A reader's grant is not handed over, because the next reader can
     * acquire the lock at any time. A grant of a fair lock is not handed over, because it would skip waiters of other clients.
     */
    public boolean isHandedOver() {
        return kind != LockKind.READ && !inOrder;
    }

    /** Returns whether the lock is granted in the order of arrival over all clients. Each waiter then needs its own place in the queue. */
    public boolean isInOrder() {
        return inOrder;
    }

    /** Returns whether the lock consists of several locks in Redis. Redis may lose one of them; the others must then be released. */
    public boolean hasMembers() {
        return !several.isEmpty();
    }

    /** Requests the lock once. The answer says either that the lock is granted or that it is busy. Without an answer, the stage fails. */
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        return gateway.runReplicated(
                acquiring,
                keys.withTokenKey(locks(request.key())),
                arguments(request),
                minReplicas,
                LockProtocol::isYes,
                result -> isYes(result.values()) ? request.granted(result) : refused(result));
    }

    /**
     * Releases the lock, or removes the owner's place from the queue.
     *
     * @param keepMillis how many ms the lock stays taken after the release
     * @param highestDrawn the highest number drawn that this client has seen. Used if the release grants the lock to the next place in the queue
     */
    public CompletionStage<ReleaseResult> release(String key, String owner, long keepMillis, long highestDrawn) {
        return gateway.run(
                releasing,
                keys.withTokenKey(locks(key)),
                arguments(owner, highestDrawn, keepMillis),
                LockProtocol::released);
    }

    /** Returns the arguments of the acquiring script. The usual values are omitted: the plain kind, and a place whose client does not hear yet. */
    private List<String> arguments(AcquireRequest request) {
        String owner = holder(request.owner());
        String seen = Long.toString(request.highestDrawn());
        String ttl = decimal(request.terms().ttlMillis());
        if (isUsual) {
            return request.isDeaf() ? List.of(owner, seen, ttl) : List.of(owner, seen, ttl, request.placeLifetime());
        }
        List<String> args = new ArrayList<>(List.of(owner, seen, ttl, request.placeLifetime()));
        if (kind == LockKind.READ) {
            String writer = request.writerOwner();
            args.add(writer == null ? "" : OwnerId.writerField(writer));
            args.add(writersFirst ? "1" : "0");
        }
        return withKindAndGrace(args);
    }

    /** Returns the arguments of the releasing script. */
    private List<String> arguments(String owner, long highestDrawn, long keepMillis) {
        String keep = Long.toString(keepMillis);
        if (isReadWrite) {
            return withKindAndGrace(new ArrayList<>(List.of(holder(owner), keep)));
        }
        String seen = Long.toString(highestDrawn);
        if (isUsual) {
            return keepMillis == 0 ? List.of(owner, seen) : List.of(owner, seen, keep);
        }
        return withKindAndGrace(new ArrayList<>(List.of(owner, seen, keep)));
    }

    /** Adds the arguments that only some kinds have, and only clients with a grace. */
    private List<String> withKindAndGrace(List<String> args) {
        if (!isReadWrite && !hasMembers()) {
            args.add(kindName);
        }
        if (asserts) {
            args.add(grace.argument());
        }
        return args;
    }

    /** Converts a duration to text. Reuses the last text, because nearly all leases of a client have the same length. */
    private String decimal(long millis) {
        Map.Entry<Long, String> usual = usualMillis;
        if (usual.getKey() != millis) {
            usual = Map.entry(millis, Long.toString(millis));
            usualMillis = usual;
        }
        return usual.getValue();
    }

    /** Returns the keys of the locks that a holder has. */
    private List<String> locks(String key) {
        return several.isEmpty() ? List.of(key) : several;
    }

    /** Extends one lease in the same way as a renewal. The answer is false if the lock does not belong to the owner of the grant. */
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        grant.told(TimeUnit.MILLISECONDS.toNanos(ttlMillis));
        List<String> args = withAssertion(renewal(grant, ttlMillis));
        return gateway.run(renewing, renewedKeys(locks(grant.key())), args, result -> result)
                .thenApply(result -> {
                    if (isNotYet(result.values())) {
                        throw notProlonged();
                    }
                    return areYes(grant, result.values(), result.sentAt());
                });
    }

    /** Returns the script that renews many leases at once, and asserts them if the client has a grace. */
    public Script renewal() {
        return renewing;
    }

    /** Returns the arguments of the renewing script for one grant. */
    public List<String> renewal(Grant grant, long leaseMillis) {
        String owner = holder(grant.owner());
        String lease = Long.toString(leaseMillis);
        String token = Long.toString(grant.firstToken());
        List<String> one = asserts
                ? List.of(owner, lease, token, grace.millisUntil(grant.endsAt()), kindName)
                : List.of(owner, lease, token);
        return hasMembers() ? several.stream().flatMap(lock -> one.stream()).toList() : one;
    }

    /** Returns the field of an owner in the lock's hash. */
    private String holder(String owner) {
        return kind == LockKind.WRITE ? OwnerId.writerField(owner) : owner;
    }

    /** Refuses keys that a guarded script cannot use. */
    public void checkGuarded(Grant grant, List<String> others) {
        keys.checkGuarded(locks(grant.key()), others);
    }

    /** Runs a script whose function Redis calls only while the owner has the locks of the grant. */
    public CompletableFuture<List<Object>> runGuarded(
            Grant grant, Script script, List<String> others, List<String> args) {
        return gateway.runReplicated(
                script,
                guardedKeys(grant, others),
                joined(guardArguments(grant), args),
                minReplicas,
                answer -> true,
                ScriptResult::values);
    }

    /** Returns the keys of a guarded script. */
    public List<String> guardedKeys(Grant grant, List<String> others) {
        return joined(locks(grant.key()), others);
    }

    /** Returns the first arguments of a guarded script. */
    public List<String> guardArguments(Grant grant) {
        return List.of(
                holder(grant.owner()),
                Long.toString(grant.firstToken()),
                Integer.toString(locks(grant.key()).size()));
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private List<String> renewedKeys(List<String> names) {
        return asserts ? keys.withTokenKey(names) : names;
    }

    private List<String> withAssertion(List<String> renewals) {
        return asserts ? joined(List.of(grace.assertion()), renewals) : renewals;
    }

    /**
     * Returns the channel on which an owner hears releases by Redisson's clients. For a fair lock, Redisson notifies only the next owner in the
     * queue. The semaphores of Redisson use other keys, so no Redisson client announces releases of these semaphores.
     */
    public String channel(String key, String owner) {
        String channel = isReadWrite ? keys.readWriteChannel(key) : keys.plainChannel(key);
        return kind == LockKind.FAIR ? channel + ":" + owner : channel;
    }

    /** Returns the first part of the names of the channels on which clients are notified about the lock. */
    public String wakePrefix(String key) {
        return keys.wakePrefix(several.isEmpty() ? key : several.get(0));
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
    public void renew(List<HeldLease> due) {
        Map<Integer, List<HeldLease>> slots = due.stream().collect(Collectors.groupingBy(this::slotOf));
        // A lease on several locks has one key for each of them, so its script renews no other lease.
        int largestBatch = hasMembers() ? 1 : LARGEST_BATCH;
        for (List<HeldLease> leases : slots.values()) {
            for (int from = 0; from < leases.size(); from += largestBatch) {
                send(leases.subList(from, Math.min(from + largestBatch, leases.size())), false);
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
            // What the watchdog does not renew is only asserted, for its rest.
            asked[i] = batch.get(i).isRenewed() ? batch.get(i).renewalNanos() : AcquireOptions.MIN_LEASE.toNanos();
            grant.told(asked[i]);
            names.addAll(locks(grant.key()));
            args.addAll(renewal(grant, TimeUnit.NANOSECONDS.toMillis(asked[i])));
        }
        Consumer<ScriptResult> late = result -> confirm(batch, asked, result);
        gateway.run(renewing, renewedKeys(names), withAssertion(args), result -> result, late)
                .whenComplete((result, failure) -> {
                    if (failure != null && isForOneSlotEach(failure, batch)) {
                        renew(batch);
                        return;
                    }
                    for (int i = 0; i < batch.size(); i++) {
                        if (failure != null) {
                            batch.get(i).renewalFailed(failure);
                            continue;
                        }
                        List<Object> answers = answers(result, i, batch.size());
                        if (areYes(batch.get(i).grant(), answers, result.sentAt())) {
                            batch.get(i).renewalConfirmed(result.sentAt(), asked[i]);
                            // An assertion may have written again what the script before did not find.
                            if (missed && !asserts) {
                                keys.missed();
                            }
                        } else if (isNotYet(answers)) {
                            batch.get(i).renewalFailed(notProlonged());
                        } else if (mayBeElsewhere(batch.get(i), batch)) {
                            send(List.of(batch.get(i)), true);
                        } else {
                            batch.get(i).gone();
                        }
                    }
                });
    }

    /** Called with an answer after the command timeout, which counts from its own sending. What it does not confirm, the next renewal asks again. */
    private static void confirm(List<HeldLease> batch, long[] asked, ScriptResult result) {
        for (int i = 0; i < batch.size(); i++) {
            if (areYes(batch.get(i).grant(), answers(result, i, batch.size()), result.sentAt())) {
                batch.get(i).renewalConfirmed(result.sentAt(), asked[i]);
            }
        }
    }

    /** Returns whether the script may have run on a server that does not have the lock. A proxy may send a script to the server of its first key. */
    private boolean mayBeElsewhere(HeldLease lease, List<HeldLease> batch) {
        return !keys.isCluster()
                && !lease.grant().key().equals(batch.get(0).grant().key());
    }

    /** Returns whether Redis refused the batch because it uses several slots. From now on, the client knows that keys have slots. */
    private boolean isForOneSlotEach(Throwable failure, List<HeldLease> batch) {
        return RedisFailure.of(failure).isForKeys()
                && batch.stream().map(this::slotOf).distinct().count() > 1;
    }

    /** Returns the answers for the keys of one of several leases. */
    private static List<Object> answers(ScriptResult result, int lease, int leases) {
        int each = result.values().size() / leases;
        return result.values().subList(lease * each, (lease + 1) * each);
    }

    /** Returns whether Redis confirmed every key of a lease. Passes on a request to stop. */
    private static boolean areYes(Grant grant, List<Object> answers, long sentAt) {
        for (Object each : answers) {
            long answer = (Long) each;
            if (answer >= STOP) {
                grant.stopRequested(sentAt, answer - STOP);
            } else if (answer != 1) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether every key of a lease is the owner's, and one is not prolonged yet. */
    private static boolean isNotYet(List<Object> answers) {
        return !answers.contains(0L) && answers.contains(NOT_YET);
    }

    private static RedisFailure notProlonged() {
        return RedisFailure.tooLate(
                "the lease is not prolonged yet: Redis has a new master, and the one before may still serve");
    }

    private Busy refused(ScriptResult result) {
        Busy busy = busy(result);
        if (busy.closed()) {
            grace.holdersSpeak();
        }
        return busy;
    }

    /**
     * Converts the answer of an acquiring script that refuses the lock. The values are: 0; the remaining ms (negative for a key that does not expire);
     * the holder (empty if unknown); the last number drawn (negative if no release ever grants the lock to the owner); {@link #NEAR_HEAD} and other
     * flags; and, for several locks, the one that is taken. If a Redisson client holds the lock, it also comes first for an owner near the head.
     */
    private static Busy busy(ScriptResult result) {
        long left = result.number(1);
        OwnerId holder = OwnerId.ofField(result.text(2));
        long drawn = result.number(3);
        long flags = result.number(4);
        String taken = result.size() > 5 ? result.text(5) : null;
        boolean isKnown = !holder.text().isEmpty();
        boolean isNear = (flags & NEAR_HEAD) != 0;
        return new Busy(
                left < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(left),
                isKnown ? holder.text() : null,
                taken,
                result.sentAt(),
                drawn < 0 ? Busy.NOT_TOLD : drawn,
                isNear,
                (flags & REDISSON_FIRST) != 0 || (flags == NEAR_HEAD && isKnown && !holder.isOurs()),
                (flags & CLOSED) != 0);
    }

    /** Returns whether the answer of a script grants the request. The first value of such an answer is not 0; it may be a token. */
    static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) != 0;
    }

    /** Converts the answer of a releasing script. */
    static ReleaseResult released(ScriptResult result) {
        long heard = result.number(0);
        return heard == NOT_THE_OWNERS ? new ReleaseResult(false, 0) : new ReleaseResult(true, heard);
    }
}
