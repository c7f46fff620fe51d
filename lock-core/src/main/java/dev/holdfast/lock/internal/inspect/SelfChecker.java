package dev.holdfast.lock.internal.inspect;

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
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    public CompletionStage<SelfCheck> check() {
        return gateway.command("INFO", List.of(), "everything")
                .handle(this::info)
                .thenCompose(info -> checkRights(keys.isCluster())
                        .thenCompose(done -> checkName())
                        .thenCompose(done -> checkClock())
                        .thenCompose(done -> grace.isOn() ? checkGrace(info) : checkNoGrace())
                        .thenApply(done -> report(ServerDescription.parse(info))));
    }

    private String info(@Nullable List<Object> info, @Nullable Throwable failure) {
        if (failure != null) {
            throwIfPassing(failure);
            warn("INFO is refused, so version and eviction policy are unknown: " + failure.getMessage());
        }
        return info == null ? "" : (String) info.get(0);
    }

    private static void throwIfPassing(Throwable failure) {
        if (RedisFailure.of(failure).isTransient()) {
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
    private CompletionStage<Void> checkName() {
        return names.probe().handle((name, failure) -> {
            if (failure != null && !RedisFailure.of(failure).isTransient()) {
                warn("Redis refuses the names of clients, so refused callers do not see who holds a lock: "
                        + RedisFailure.of(failure).getMessage());
            }
            return null;
        });
    }

    private CompletionStage<Void> checkClock() {
        long before = background.wallClockMillis();
        return gateway.command("TIME", List.of()).handle((time, failure) -> {
            long here = (before + background.wallClockMillis()) / 2;
            long apart = failure == null ? Math.abs(millis(time) - here) : 0;
            if (apart > FAR_CLOCK_MILLIS) {
                warn("The server's clock differs by " + Duration.ofMillis(apart)
                        + " from this machine's. Leases do not depend"
                        + " on that, but a jump of the server's clock ends or prolongs them: synchronize both clocks");
            }
            return null;
        });
    }

    /** Checks that a script learns of a new master, and that the master before stops. */
    private CompletionStage<Void> checkGrace(String info) {
        if (info.contains("connected_slaves:")
                && !info.contains("connected_slaves:0")
                && !info.contains(GOOD_REPLICAS)) {
            warn("A replaced master keeps serving clients, so locks can have two holders in a split brain: set"
                    + " min-replicas-to-write to 1 and min-replicas-max-lag to less than half of the watchdog timeout");
        }
        String owner = owners.next(Thread.currentThread(), 0, 0);
        List<String> args = List.of(grace.assertion(), owner, Long.toString(PROBE_LEASE_MILLIS), "1", "0", "");
        return gateway.run(Scripts.ASSERT, keys.withTokenKey(List.of(probe())), args)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        throwIfPassing(failure);
                        error("Locks with failover-grace cannot work on this Redis: "
                                + RedisFailure.of(failure).getMessage()
                                + "; let the Redis user run INFO and use the keys listed in docs/acl.conf, use a Redis whose INFO shows"
                                + " master_replid, or remove failover-grace");
                    }
                    return null;
                });
    }

    /** Looks whether other clients rely on a grace, which this client does not keep. In a cluster, each slot would have to be asked. */
    private CompletionStage<Void> checkNoGrace() {
        if (keys.isCluster()) {
            return CompletableFuture.completedFuture(null);
        }
        return gateway.command("EXISTS", List.of(LockKeys.REIGN_KEY)).handle((found, failure) -> {
            if (failure == null && found.contains(1L)) {
                warn(
                        "Other clients of this Redis have a failover-grace, and this one can take locks that are still held:"
                                + " set the same failover-grace");
            }
            return null;
        });
    }

    /** Converts the answer of TIME, which consists of seconds and microseconds. */
    private static long millis(List<Object> time) {
        return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
    }

    /**
     * Runs all commands of a lock once with this user's rights. Repeats them if the first refusal has shown that the keys of a script must share a
     * slot.
     */
    private CompletionStage<Void> checkRights(boolean wasCluster) {
        CompletionStage<Void> checked = checkRights();
        return wasCluster
                ? checked
                : checked.exceptionallyCompose(
                        failure -> keys.isCluster() ? checkRights() : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Void> checkRights() {
        String key = probe();
        String owner = owners.next(Thread.currentThread(), 0, 0);
        LeaseTerms terms = new LeaseTerms(
                PROBE_LEASE_NANOS, false, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);
        long millis = terms.leaseMillis();
        String waiter = owners.next(Thread.currentThread(), millis, 0);
        return protocol.acquire(request(key, owner, terms, 0))
                .thenApply(answer -> ((Granted) answer).grant())
                .thenCompose(grant -> protocol.extend(grant, millis + 1000)
                        .thenCompose(extended ->
                                gateway.run(protocol.renewal(), List.of(key), protocol.renewal(grant, millis + 2000)))
                        .thenCompose(renewed -> checkSlots(grant, terms)))
                // A second owner is refused and enters the queue.
                .thenCompose(renewed -> protocol.acquire(request(key, waiter, terms, millis)))
                .thenCompose(busy -> protocol.release(key, owner, 0, 0))
                .thenCompose(released -> protocol.release(key, waiter, 0, 0).thenApply(left -> released))
                .handle((released, failure) -> {
                    if (failure != null) {
                        throwIfPassing(failure);
                        error("Locks cannot work on this Redis: "
                                + RedisFailure.of(failure).getMessage());
                        protocol.release(key, owner, 0, 0);
                        protocol.release(key, waiter, 0, 0);
                    } else if (!released.told()) {
                        warn("Redis refuses to publish, so clients that wait for this one poll: give the"
                                + " Redis user the rights listed in docs/acl.conf");
                    }
                    return (Void) null;
                })
                .thenCompose(done -> checkSubscriptions(protocol.wakePrefix(key) + owners.client()));
    }

    /** A client that has never waited has no connection for messages, and this does not open one. */
    private CompletionStage<Void> checkSubscriptions(String channel) {
        // If Redis refuses this user, the client never subscribes.
        if (isRefused() || !gateway.signals().areInUse()) {
            return CompletableFuture.completedFuture(null);
        }
        var subscription = gateway.signals().subscribe(channel, null, message -> {});
        return confirmation(subscription.ready()).handle((ready, failure) -> {
            subscription.cancel(0);
            if (failure != null) {
                RedisFailure refused = RedisFailure.of(failure);
                warn((refused.isTransient()
                                ? "Subscriptions are not confirmed, so waiting clients poll for now: "
                                : "Redis refuses subscriptions, so waiting clients poll: ")
                        + refused.getMessage());
            }
            return null;
        });
    }

    /**
     * Renews two locks at once. This reveals a service that hides that it distributes its keys: such a service refuses the script or misses one of
     * the locks.
     */
    private CompletionStage<?> checkSlots(Grant held, LeaseTerms terms) {
        if (keys.isCluster()) {
            return CompletableFuture.completedFuture(null);
        }
        String otherKey = Stream.generate(this::probe)
                .limit(PROBES)
                .max(Comparator.comparingInt(
                        each -> Math.abs(RedisGateway.slotOf(each) - RedisGateway.slotOf(held.key()))))
                .orElseThrow();
        return protocol.acquire(request(otherKey, held.owner(), terms, 0))
                .thenCompose(answer -> renewTogether(held, ((Granted) answer).grant()))
                .thenCompose(done -> protocol.release(otherKey, held.owner(), 0, 0));
    }

    private CompletionStage<?> renewTogether(Grant one, Grant other) {
        List<String> args = new ArrayList<>(protocol.renewal(one, PROBE_LEASE_MILLIS));
        args.addAll(protocol.renewal(other, PROBE_LEASE_MILLIS));
        return gateway.run(protocol.renewal(), List.of(one.key(), other.key()), args)
                .thenCompose(answers -> answers.contains(0L)
                        ? renewAlone(one).thenCombine(renewAlone(other), Boolean::logicalAnd)
                        : CompletableFuture.completedFuture(false))
                .thenAccept(areThere -> {
                    // Otherwise Redis has lost them.
                    if (areThere) {
                        warn("Redis, or a proxy before it, sends a script to the server of its first key: "
                                + KeySlots.SETTING);
                    }
                })
                .exceptionallyCompose(failure -> RedisFailure.of(failure).isForKeys()
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Boolean> renewAlone(Grant grant) {
        return gateway.run(protocol.renewal(), List.of(grant.key()), protocol.renewal(grant, PROBE_LEASE_MILLIS))
                .thenApply(answers -> answers.contains(1L));
    }

    private String probe() {
        return keys.probe(Base64.getUrlEncoder().withoutPadding().encodeToString(background.secureBytes(16)));
    }

    private static AcquireRequest request(String key, String owner, LeaseTerms terms, long placeLifetimeMillis) {
        return new AcquireRequest("self-check", key, owner, terms, 1, 0, placeLifetimeMillis, Hearing.YES, null);
    }

    /** Returns the confirmation of a subscription with a time limit. Without a connection for subscriptions, it never arrives. */
    private CompletionStage<Void> confirmation(CompletionStage<Void> ready) {
        CompletableFuture<Void> confirmed = ready.thenAccept(done -> {}).toCompletableFuture();
        Timer.Timeout alarm =
                timer.after(limit.toNanos(), () -> confirmed.completeExceptionally(RedisFailure.tooLate("no answer")));
        confirmed.whenComplete((done, failure) -> alarm.cancel());
        return confirmed;
    }

    private boolean isRefused() {
        return findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
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
        LOG.log(Level.INFO, "Locks on {0} {1} ({2})", check.product(), check.serverVersion(), check.topology());
        for (Finding finding : check.findings()) {
            Level level = finding.severity() == Severity.ERROR ? Level.ERROR : Level.WARNING;
            LOG.log(level, LogText.escape(finding.message()));
        }
    }
}
