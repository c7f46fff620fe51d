package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.SelfCheck.Finding;
import dev.holdfast.lock.SelfCheck.Severity;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks whether a Redis or Valkey is fit for locks: its version, its eviction policy, its clock, and the user's rights, tried on a probe key. */
public final class SelfChecker {

    private static final long FAR_CLOCK_MILLIS = 1000;
    private static final long PROBE_LEASE_NANOS = Duration.ofSeconds(5).toNanos();

    private final RedisGateway gateway;
    private final ClientNames names;
    private final OwnerIds owners;
    private final Timer timer;
    private final Duration limit;
    private final LockKeys keys;
    private final LockProtocol protocol;

    public SelfChecker(
            RedisGateway gateway,
            ClientNames names,
            OwnerIds owners,
            LockKeys keys,
            LockProtocol protocol,
            Timer timer,
            Duration limit) {
        this.gateway = gateway;
        this.names = names;
        this.owners = owners;
        this.timer = timer;
        this.limit = limit;
        this.keys = keys;
        this.protocol = protocol;
    }

    public CompletionStage<SelfCheck> check() {
        List<Finding> findings = new ArrayList<>();
        return gateway.info("everything")
                .handle((info, failure) -> {
                    if (failure != null) {
                        if (RedisFailure.of(failure).isPassing()) {
                            throw RedisFailures.unavailable("self-check", failure);
                        }
                        warn(
                                findings,
                                "INFO is refused, so version and eviction policy are unknown: " + failure.getMessage());
                        return "";
                    }
                    return info;
                })
                .thenCompose(info -> checkRights(findings)
                        .thenCompose(done -> checkName(findings))
                        .thenCompose(done -> checkClock(findings))
                        .thenApply(done -> report(ServerDescription.parse(info), findings)));
    }

    private SelfCheck report(ServerDescription server, List<Finding> findings) {
        if (server.isTooOld()) {
            findings.add(new Finding(
                    Severity.ERROR,
                    "Redis " + server.version() + " is too old: locks need Redis 6.2 or newer, or Valkey. Upgrade the"
                            + " server"));
        }
        checkEviction(server.evictionPolicy(), findings);
        String topology = gateway.isCluster() ? "cluster" : server.mode();
        findings.sort(java.util.Comparator.comparing(Finding::severity));
        return new SelfCheck(server.product(), server.version(), topology, List.copyOf(findings));
    }

    private static void checkEviction(String policy, List<Finding> findings) {
        if (!"noeviction".equals(policy)) {
            warn(
                    findings,
                    "maxmemory-policy is " + policy + ": a full server may evict a held lock"
                            + ("volatile-ttl".equals(policy) ? ", and this policy takes lock keys first" : "")
                            + ". Keep locks on a server with maxmemory-policy noeviction");
        }
    }

    /** Locks work without it; a busy lock then reports the holder's id only. */
    private CompletionStage<Void> checkName(List<Finding> findings) {
        return names.probe().handle((name, failure) -> {
            if (failure != null && !RedisFailure.of(failure).isPassing()) {
                warn(
                        findings,
                        "The names of clients are refused, so nobody is told by name who holds a lock: "
                                + RedisFailure.of(failure).getMessage());
            }
            return null;
        });
    }

    private CompletionStage<Void> checkClock(List<Finding> findings) {
        long before = System.currentTimeMillis();
        return gateway.serverMillis().handle((server, failure) -> {
            if (failure == null) {
                long here = (before + System.currentTimeMillis()) / 2;
                long away = Math.abs(server - here);
                if (away > FAR_CLOCK_MILLIS) {
                    warn(
                            findings,
                            "The server's clock is " + Duration.ofMillis(away)
                                    + " away from this one. Leases do not depend on"
                                    + " it, a jump of the server's clock does end or prolong them: synchronise both");
                }
            }
            return null;
        });
    }

    /** Goes once through everything a lock does, as this user. */
    private CompletionStage<Void> checkRights(List<Finding> findings) {
        String key = keys.probe();
        String owner = owners.next(Thread.currentThread(), 0);
        LeaseTerms terms =
                new LeaseTerms(PROBE_LEASE_NANOS, false, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread());
        long millis = terms.leaseMillis();
        String waiter = owners.next(Thread.currentThread(), millis);
        var subscription = gateway.signals().subscribe(protocol.wakePrefix(key) + owners.client(), message -> {});
        CompletableFuture<Void> rights = protocol.acquire(request(key, owner, terms, 0))
                .thenApply(answer -> ((Granted) answer).grant())
                .thenCompose(grant -> protocol.extend(grant, millis + 1000)
                        .thenCompose(extended ->
                                gateway.run(protocol.renewal(), List.of(key), protocol.renewal(grant, millis + 2000))))
                // Another owner is refused and enters the line.
                .thenCompose(renewed -> protocol.acquire(request(key, waiter, terms, millis)))
                .thenCompose(busy -> protocol.release(new ReleaseRequest(key, owner, 0, 0)))
                .thenCompose(released ->
                        protocol.release(new ReleaseRequest(key, waiter, 0, 0)).thenApply(left -> released))
                .handle((released, failure) -> {
                    if (failure == null && !released.told()) {
                        warn(
                                findings,
                                "Publishing is refused, so locks that wait on releases of this client poll: give the"
                                        + " Redis user the rights listed in docs/acl.conf");
                    }
                    if (failure != null) {
                        RedisFailure refused = RedisFailure.of(failure);
                        if (refused.isPassing()) {
                            throw RedisFailures.unavailable("self-check", refused);
                        }
                        findings.add(new Finding(
                                Severity.ERROR, "Locks cannot work on this Redis: " + refused.getMessage()));
                        protocol.release(new ReleaseRequest(key, owner, 0, 0));
                        protocol.release(new ReleaseRequest(key, waiter, 0, 0));
                    }
                    return (Void) null;
                })
                .toCompletableFuture();
        // A Redis that refuses this user is never subscribed to.
        return rights.thenCompose(done -> isRefused(findings)
                        ? CompletableFuture.<Void>completedFuture(null)
                        : confirmation(subscription))
                .handle((ready, failure) -> {
                    subscription.cancel();
                    if (!rights.isCompletedExceptionally()) {
                        checkSubscription(failure, findings);
                    }
                    return rights;
                })
                .thenCompose(stage -> stage);
    }

    private static AcquireRequest request(String key, String owner, LeaseTerms terms, long patienceMillis) {
        return new AcquireRequest("self-check", key, owner, terms, 1, 0, patienceMillis, null);
    }

    /** Where no connection for subscriptions is to be had, its confirmation never comes. */
    private CompletionStage<Void> confirmation(Subscription subscription) {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        Timer.Timeout alarm =
                timer.after(limit.toNanos(), () -> confirmed.completeExceptionally(RedisFailure.tooLate("no answer")));
        subscription.ready().whenComplete((ready, failure) -> {
            alarm.cancel();
            if (failure == null) {
                confirmed.complete(null);
            } else {
                confirmed.completeExceptionally(failure);
            }
        });
        return confirmed;
    }

    private static void checkSubscription(@Nullable Throwable failure, List<Finding> findings) {
        if (failure != null) {
            RedisFailure refused = RedisFailure.of(failure);
            warn(
                    findings,
                    (refused.isPassing()
                                    ? "Subscriptions are not confirmed, so waiting locks poll for now: "
                                    : "Subscriptions are refused, so waiting locks poll: ")
                            + refused.getMessage());
        }
    }

    private static boolean isRefused(List<Finding> findings) {
        return findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
    }

    private static void warn(List<Finding> findings, String message) {
        findings.add(new Finding(Severity.WARNING, message));
    }
}
