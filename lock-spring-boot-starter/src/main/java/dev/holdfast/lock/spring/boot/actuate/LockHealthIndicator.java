package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.spring.call.StarterThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports UP, {@link #DEGRADED}, or DOWN if Redis fails the self-check or does not answer within the timeout. Answers in time even if Redis hangs.
 */
final class LockHealthIndicator implements HealthIndicator {

    /** Locks work, but leases were lost recently or renewals are late. Spring Boot maps this status to 200 and ignores it in aggregates. */
    public static final Status DEGRADED =
            new Status("DEGRADED", "Locks work, but leases were lost recently or renewals are late");

    /** A lock name that is never acquired. Like acquiring a lock, inspecting it takes one round trip. */
    private static final String PROBE_NAME = "holdfast-health-probe";

    /**
     * How long the result of a self-check is used. A server's version and permissions seldom change, and a self-check takes several round trips.
     */
    private static final Duration CHECK_AGE = Duration.ofMinutes(1);

    private record Reading(Duration roundTrip, SelfCheck check, Map<String, Object> features) {}

    private final LockClient client;
    private final Supplier<Map<String, Object>> features;
    private final RecentLosses losses;
    private final Duration timeout;
    private final Duration lateRenewal;
    private @Nullable CompletableFuture<Reading> asked;
    private @Nullable SelfCheck checked;
    private long checkedAt;

    /** Creates the indicator. The health is degraded if a renewal is late by more than a third of the client's watchdog timeout. */
    public LockHealthIndicator(
            LockClient client,
            RecentLosses losses,
            Supplier<Map<String, Object>> features,
            Duration timeout,
            Duration watchdogTimeout) {
        this.client = client;
        this.features = features;
        this.losses = losses;
        this.timeout = timeout;
        this.lateRenewal = watchdogTimeout.dividedBy(3);
    }

    @Override
    public Health health() {
        LockStatistics numbers = client.statistics();
        Health.Builder health = new Health.Builder()
                .withDetail("held", numbers.held())
                .withDetail("waiting", numbers.waiting())
                .withDetail("renewalLag", numbers.renewalLag());
        List<LeaseLoss> lost = losses.now();
        if (!lost.isEmpty()) {
            LeaseLoss last = lost.get(lost.size() - 1);
            health.withDetail("lost", lost.size())
                    .withDetail("lastLost", last.lockName() + ": " + last.probableCause());
        }
        try {
            Reading reading = ask().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return answered(
                    health, reading, !lost.isEmpty() || numbers.renewalLag().compareTo(lateRenewal) > 0);
        } catch (TimeoutException e) {
            return failed(health.down(), "Redis did not reply within " + LogText.time(timeout));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return failed(health.down(), String.valueOf(cause.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(health.unknown(), "Interrupted while waiting for Redis");
        }
    }

    private static Health failed(Health.Builder health, String error) {
        return health.withDetail("error", error).build();
    }

    private static Health answered(Health.Builder health, Reading reading, boolean degraded) {
        SelfCheck check = reading.check();
        health.withDetail("version", check.serverVersion())
                .withDetail("topology", check.topology())
                .withDetail("roundTrip", reading.roundTrip());
        List<String> findings = check.findings().stream()
                .map(finding -> finding.severity() + ": " + finding.message())
                .toList();
        if (!findings.isEmpty()) {
            health.withDetail("findings", findings);
        }
        health.withDetails(reading.features());
        Status working = degraded ? DEGRADED : Status.UP;
        return health.status(check.isUsable() ? working : Status.DOWN).build();
    }

    /** Checks Redis with one request at a time. If Redis hangs, all callers share one request, which ends at the client's command timeout. */
    private synchronized CompletableFuture<Reading> ask() {
        CompletableFuture<Reading> latest = asked;
        // An answer is not reused: a caller that asks after it must get a new one.
        if (latest == null || latest.isDone()) {
            latest = CompletableFuture.supplyAsync(this::read, StarterThreads.threadFor("holdfast-health"));
            asked = latest;
        }
        return latest;
    }

    private Reading read() {
        long start = System.nanoTime();
        client.inspect(PROBE_NAME);
        Duration roundTrip = Duration.ofNanos(System.nanoTime() - start);
        SelfCheck known = checked;
        // A self-check that found an error is repeated each time, because an operator may be correcting the error.
        if (known == null || !known.isUsable() || System.nanoTime() - checkedAt > CHECK_AGE.toNanos()) {
            known = client.selfCheck().toCompletableFuture().join();
            checked = known;
            checkedAt = System.nanoTime();
        }
        return new Reading(roundTrip, known, features.get());
    }

    /** The leases that were lost recently, except those that ended because the client was closed. Thread-safe. */
    public static final class RecentLosses implements LockListener {
        private static final int MOST = 1000;

        private final Duration window;
        private final LongSupplier nanoTime;
        private final Deque<Map.Entry<LeaseLoss, Long>> noted = new ArrayDeque<>();

        /** Creates an empty instance. A loss is recent for the given time. */
        public RecentLosses(Duration window) {
            this(window, System::nanoTime);
        }

        RecentLosses(Duration window, LongSupplier nanoTime) {
            this.window = window;
            this.nanoTime = nanoTime;
        }

        @Override
        public synchronized void onLost(LeaseLoss loss) {
            if (loss.cause() != LossCause.CLOSED) {
                noted.addLast(Map.entry(loss, nanoTime.getAsLong()));
            }
            if (noted.size() > MOST) {
                noted.removeFirst();
            }
        }

        /** Returns the losses of the window that ends now, the oldest first, at most the last thousand. */
        synchronized List<LeaseLoss> now() {
            long oldest = nanoTime.getAsLong() - window.toNanos();
            noted.removeIf(one -> one.getValue() - oldest < 0);
            return noted.stream().map(Map.Entry::getKey).toList();
        }
    }
}
