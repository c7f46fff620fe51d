package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.SelfCheck.Finding;
import dev.holdfast.lock.SelfCheck.Severity;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks once whether a Redis or Valkey server is suitable for locks: its version, its eviction policy, its clock, and the user's rights, which are
 * tested with a probe key.
 */
public final class SelfChecker {

    private static final LockLog LOG = LockLog.LOG;

    private static final long FAR_CLOCK_MILLIS = 1000;
    private static final long PROBE_LEASE_MILLIS = 5_000;
    private static final long PROBE_LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(PROBE_LEASE_MILLIS);
    /**
     * The number of candidates for the second probe key. With so many candidates, the slot of the best one is nearly half of all slots away from the
     * slot of the first key, and therefore probably on another server.
     */
    private static final int PROBES = 64;

    /** What INFO tells only if min-replicas-to-write and min-replicas-max-lag are set. */
    private static final String GOOD_REPLICAS = "min_slaves_good_slaves";

    private final RedisGateway gateway;
    private final ClientNames names;
    private final OwnerId.Source owners;
    private final Timer timer;
    private final Background background;
    private final Grace grace;
    private final Duration limit;
    private final LockKeys keys;
    private final LockProtocol protocol;
    private final List<Finding> findings = new ArrayList<>();

    public SelfChecker(
            RedisGateway gateway,
            ClientNames names,
            OwnerId.Source owners,
            LockKeys keys,
            LockProtocol protocol,
            Timer timer,
            Background background,
            Grace grace,
            Duration limit) {
        this.gateway = gateway;
        this.names = names;
        this.owners = owners;
        this.timer = timer;
        this.background = background;
        this.grace = grace;
        this.limit = limit;
        this.keys = keys;
        this.protocol = protocol;
    }

    /** Checks on a thread of its own, because each step waits for the answer to the one before. */
    public CompletionStage<SelfCheck> check() {
        return CompletableFuture.supplyAsync(this::checkNow, background.work());
    }

    private SelfCheck checkNow() {
        String info = describe();
        checkRights();
        checkName();
        checkClock();
        if (grace.isOn()) {
            checkGrace(info);
        } else {
            checkNoGrace();
        }
        return report(ServerDescription.parse(info));
    }

    private <T> T answer(CompletionStage<T> stage) {
        return background.join(stage.toCompletableFuture(), RedisFailure::of);
    }

    private String describe() {
        try {
            return (String)
                    answer(gateway.command("INFO", List.of(), "everything")).get(0);
        } catch (RedisFailure failure) {
            throwIfPassing(failure);
            warn("INFO is refused, so version and eviction policy are unknown: " + failure.getMessage());
            return "";
        }
    }

    private static void throwIfPassing(RedisFailure failure) {
        if (failure.isTransient()) {
            throw RedisFailures.unavailable("self-check", failure);
        }
    }

    private SelfCheck report(ServerDescription server) {
        if (server.isTooOld()) {
            error("Redis " + server.version() + " is too old: locks need Redis 6.2 or newer, or Valkey. Upgrade the"
                    + " server");
        }
        String policy = server.evictionPolicy();
        if (!"noeviction".equals(policy)) {
            warn("maxmemory-policy is " + policy + ": a full server can evict a held lock"
                    + ("volatile-ttl".equals(policy) ? ", and this policy evicts lock keys first" : "")
                    + ". Keep locks on a server with maxmemory-policy noeviction");
        }
        if (keys.isClusterAsOneServer()) {
            warn(
                    "Redis is a cluster that is configured as one server, or a service with a cluster behind its address. Locks of one"
                            + " name work as long as this address reaches all slots; several names at once can be refused: "
                            + KeySlots.FIX);
        }
        String topology = keys.isCluster() ? "cluster" : server.mode();
        findings.sort(Comparator.comparing(Finding::severity));
        return new SelfCheck(
                server.product(),
                server.version(),
                topology,
                keys.isCluster() ? "" : server.replicationId(),
                List.copyOf(findings),
                Scripts.digests());
    }

    /** Checks that names of clients can be read. Locks work without them, but a refused caller then sees only the holder's id. */
    private void checkName() {
        try {
            answer(names.probe());
        } catch (RedisFailure failure) {
            if (!failure.isTransient()) {
                warn("Redis refuses the names of clients, so refused callers do not see who holds a lock: "
                        + failure.getMessage());
            }
        }
    }

    private void checkClock() {
        long before = background.wallClockMillis();
        List<Object> time = answerIfAny("TIME", List.of());
        long here = (before + background.wallClockMillis()) / 2;
        long apart = time == null ? 0 : Math.abs(millis(time) - here);
        if (apart > FAR_CLOCK_MILLIS) {
            warn("The server's clock differs by " + Duration.ofMillis(apart)
                    + " from this machine's. Leases do not depend"
                    + " on that, but a jump of the server's clock ends or prolongs them: synchronize both clocks");
        }
    }

    private @Nullable List<Object> answerIfAny(String command, List<String> ofKeys) {
        try {
            return answer(gateway.command(command, ofKeys));
        } catch (RedisFailure notKnown) {
            return null;
        }
    }

    /** Checks that a script learns of a new master, and that the master before stops. */
    private void checkGrace(String info) {
        if (info.contains("connected_slaves:")
                && !info.contains("connected_slaves:0")
                && !info.contains(GOOD_REPLICAS)) {
            warn("A replaced master keeps serving clients, so locks can have two holders in a split brain: set"
                    + " min-replicas-to-write to 1 and min-replicas-max-lag to less than half of the watchdog timeout");
        }
        String owner = owners.next(Thread.currentThread(), 0, 0);
        List<String> args = List.of(grace.assertion(), owner, Long.toString(PROBE_LEASE_MILLIS), "1", "0", "");
        try {
            answer(gateway.run(Scripts.ASSERT.get(), keys.withTokenKey(List.of(keys.probe(randomId()))), args));
        } catch (RedisFailure failure) {
            throwIfPassing(failure);
            error("Locks with failover-grace cannot work on this Redis: " + failure.getMessage()
                    + "; let the Redis user run INFO and use the keys listed in docs/acl.conf, use a Redis whose INFO shows"
                    + " master_replid, or remove failover-grace");
        }
    }

    /** Looks whether other clients rely on a grace, which this client does not keep. In a cluster, each slot would have to be asked. */
    private void checkNoGrace() {
        List<Object> found = keys.isCluster() ? null : answerIfAny("EXISTS", List.of(LockKeys.REIGN_KEY));
        if (found != null && found.contains(1L)) {
            warn("Other clients of this Redis have a failover-grace, and this one can take locks that are still held:"
                    + " set the same failover-grace");
        }
    }

    /** Converts the answer of TIME, which consists of seconds and microseconds. */
    private static long millis(List<Object> time) {
        return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
    }

    /**
     * Runs all commands of a lock once with this user's rights. Repeats them if the first refusal has shown that the keys of a script must share a
     * slot.
     */
    private void checkRights() {
        boolean wasCluster = keys.isCluster();
        try {
            runAllCommands();
        } catch (LockUnavailableException refused) {
            if (wasCluster || !keys.isCluster()) {
                throw refused;
            }
            runAllCommands();
        }
    }

    private void runAllCommands() {
        String id = randomId();
        String key = keys.probe(id);
        String owner = owners.next(Thread.currentThread(), 0, 0);
        LeaseTerms terms = new LeaseTerms(
                PROBE_LEASE_NANOS, false, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);
        long millis = terms.leaseMillis();
        String waiter = owners.next(Thread.currentThread(), millis, 0);
        try {
            Grant grant = (Grant) answer(protocol.acquire(request(key, owner, terms, 0)));
            answer(protocol.extend(grant, millis + 1000));
            answer(gateway.run(protocol.renewal(), List.of(key), protocol.renewal(grant, millis + 2000)));
            if (!keys.isCluster()) {
                checkSlots(grant, otherKey(id), terms);
            }
            // A second owner is refused and enters the queue.
            answer(protocol.acquire(request(key, waiter, terms, millis)));
            ReleaseResult released = answer(protocol.release(key, owner, 0, 0));
            answer(protocol.release(key, waiter, 0, 0));
            if (!released.told()) {
                warn("Redis refuses to publish, so clients that wait for this one poll: give the"
                        + " Redis user the rights listed in docs/acl.conf");
            }
        } catch (RedisFailure failure) {
            throwIfPassing(failure);
            error("Locks cannot work on this Redis: " + failure.getMessage());
            protocol.release(key, owner, 0, 0);
            protocol.release(key, waiter, 0, 0);
            return;
        }
        // A client that has never waited has no connection for messages, and this does not open one.
        if (gateway.signals().areInUse()) {
            checkSubscriptions(protocol.wakePrefix(key) + owners.client());
        }
    }

    private void checkSubscriptions(String channel) {
        var subscription = gateway.signals().subscribe(channel, null, message -> {});
        try {
            answer(confirmation(subscription.ready()));
        } catch (RedisFailure failure) {
            warn((failure.isTransient()
                            ? "Subscriptions are not confirmed, so waiting clients poll for now: "
                            : "Redis refuses subscriptions, so waiting clients poll: ")
                    + failure.getMessage());
        } finally {
            subscription.cancel(0);
        }
    }

    /** Returns a probe key whose slot is far from that of the first one. */
    private String otherKey(String id) {
        int slot = RedisGateway.slotOf(keys.probe(id));
        String farthest = "";
        int distance = -1;
        for (int i = 0; i < PROBES; i++) {
            String candidate = keys.probe(id + i);
            int apart = Math.abs(RedisGateway.slotOf(candidate) - slot);
            if (apart > distance) {
                distance = apart;
                farthest = candidate;
            }
        }
        return farthest;
    }

    /**
     * Renews two locks at once. This reveals a service that hides that it distributes its keys: such a service refuses the script or misses one of
     * the locks.
     */
    private void checkSlots(Grant held, String otherKey, LeaseTerms terms) {
        Grant other = (Grant) answer(protocol.acquire(request(otherKey, held.owner(), terms, 0)));
        List<String> args = new ArrayList<>(protocol.renewal(held, PROBE_LEASE_MILLIS));
        args.addAll(protocol.renewal(other, PROBE_LEASE_MILLIS));
        try {
            List<Object> renewed = answer(gateway.run(protocol.renewal(), List.of(held.key(), otherKey), args));
            // If one is not there alone either, Redis has lost it.
            if (renewed.contains(0L) && isThere(held) && isThere(other)) {
                warn("Redis, or a proxy before it, sends a script to the server of its first key: " + KeySlots.SETTING);
            }
        } catch (RedisFailure failure) {
            if (!failure.isForKeys()) {
                throw failure;
            }
        }
        answer(protocol.release(otherKey, held.owner(), 0, 0));
    }

    private boolean isThere(Grant grant) {
        return answer(gateway.run(
                        protocol.renewal(), List.of(grant.key()), protocol.renewal(grant, PROBE_LEASE_MILLIS)))
                .contains(1L);
    }

    private String randomId() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(background.secureBytes(16));
    }

    private static AcquireRequest request(String key, String owner, LeaseTerms terms, long placeLifetimeMillis) {
        return new AcquireRequest("self-check", key, owner, terms, 1, 0, placeLifetimeMillis, true, null);
    }

    /** Returns the confirmation of a subscription with a time limit. Without a connection for subscriptions, it never arrives. */
    private CompletionStage<Void> confirmation(CompletionStage<Void> ready) {
        CompletableFuture<Void> confirmed = ready.thenAccept(done -> {}).toCompletableFuture();
        Timer.Timeout alarm =
                timer.after(limit.toNanos(), () -> confirmed.completeExceptionally(RedisFailure.tooLate("no answer")));
        confirmed.whenComplete((done, failure) -> alarm.cancel());
        return confirmed;
    }

    private void warn(String message) {
        findings.add(new Finding(Severity.WARNING, message));
    }

    private void error(String message) {
        findings.add(new Finding(Severity.ERROR, message));
    }

    /** Logs, once for each start of a client, what the check found out about Redis. */
    public static void log(@Nullable SelfCheck check, @Nullable Throwable failure) {
        if (check == null) {
            LOG.log(Level.DEBUG, "Redis could not be looked at before the first lock", failure);
            return;
        }
        LOG.log(
                Level.INFO,
                "Locks on " + check.product() + " " + check.serverVersion() + " (" + check.topology() + ")");
        for (Finding finding : check.findings()) {
            Level level = finding.severity() == Severity.ERROR ? Level.ERROR : Level.WARNING;
            LOG.log(level, LogText.escape(finding.message()));
        }
    }
}
