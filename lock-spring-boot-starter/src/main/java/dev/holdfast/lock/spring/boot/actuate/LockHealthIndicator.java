package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.SelfCheck.Severity;
import dev.holdfast.lock.spring.boot.actuate.RedisProbe.Reading;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of the locks: UP, {@link #DEGRADED}, or DOWN if Redis does not answer in time or the self-check finds an error. Answers within its
 * timeout, even while Redis hangs.
 */
public final class LockHealthIndicator implements HealthIndicator {

    /** Locks work, but leases were lost recently or renewals are late. Boot maps it to 200, and leaves it out of aggregates. */
    public static final Status DEGRADED =
            new Status("DEGRADED", "Locks work, but leases were lost recently or renewals are late");

    private final LockClient client;
    private final RedisProbe probe;
    private final RecentLosses losses;
    private final Duration timeout;
    private final Duration lateRenewal;

    /**
     * Creates the indicator. Does not connect to Redis.
     *
     * @param client the lock client
     * @param losses the recent losses of the client
     * @param timeout time within which Redis must answer
     * @param watchdogTimeout the client's watchdog timeout; a renewal that is later than a third of it degrades the health
     */
    public LockHealthIndicator(LockClient client, RecentLosses losses, Duration timeout, Duration watchdogTimeout) {
        this.client = client;
        this.probe = new RedisProbe(client);
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
            Reading reading = probe.ask().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            boolean degraded = !lost.isEmpty() || numbers.renewalLag().compareTo(lateRenewal) > 0;
            return answered(health, reading, degraded);
        } catch (TimeoutException e) {
            return health.down()
                    .withDetail("error", "Redis did not answer within " + LogText.time(timeout))
                    .build();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return health.down()
                    .withDetail("error", String.valueOf(cause.getMessage()))
                    .build();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return health.unknown()
                    .withDetail("error", "Interrupted while waiting for Redis")
                    .build();
        }
    }

    private static Health answered(Health.Builder health, Reading reading, boolean degraded) {
        SelfCheck check = reading.check();
        health.withDetail("version", check.serverVersion())
                .withDetail("topology", check.topology())
                .withDetail("roundTrip", reading.roundTrip());
        if (!check.findings().isEmpty()) {
            health.withDetail(
                    "findings",
                    check.findings().stream()
                            .map(finding -> finding.severity() + ": " + finding.message())
                            .toList());
        }
        if (check.findings().stream().anyMatch(finding -> finding.severity() == Severity.ERROR)) {
            return health.down().build();
        }
        return (degraded ? health.status(DEGRADED) : health.up()).build();
    }
}
