package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Meters of the whole client: they show its statistics, whoever calls it. Reading them asks nobody. Each reads for itself, since Micrometer
 * tells nobody where a scrape begins, and numbers that were kept for a while would be late; with ten thousand leases held all of them
 * together take some 20 ms.
 */
public final class ClientMetrics implements MeterBinder {

    private static final String OUTCOME = "outcome";

    private final LockClient client;

    /**
     * Creates the binder.
     *
     * @param client whose statistics are shown
     */
    public ClientMetrics(LockClient client) {
        this.client = client;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        String acquisitions = "What asking for a lock came to, annotated or not";
        counter(LockMeters.ACQUISITIONS, acquisitions, LockStatistics::acquired)
                .tag(OUTCOME, "acquired")
                .register(registry);
        counter(LockMeters.ACQUISITIONS, acquisitions, LockStatistics::busy)
                .tag(OUTCOME, "busy")
                .register(registry);
        counter(LockMeters.ACQUISITIONS, acquisitions, LockStatistics::unavailable)
                .tag(OUTCOME, "unavailable")
                .register(registry);
        counter(LockMeters.LOSSES, "Leases that ended before they were released", LockStatistics::lost)
                .register(registry);
        String renewals = "Renewals of leases, repeated tries included";
        counter(LockMeters.RENEWALS, renewals, LockStatistics::renewals)
                .tag(OUTCOME, "confirmed")
                .register(registry);
        counter(LockMeters.RENEWALS, renewals, LockStatistics::renewalFailures)
                .tag(OUTCOME, "failed")
                .register(registry);
        counter(LockMeters.HAND_OFFS, "Leases that another holder of this client passed on", LockStatistics::handOffs)
                .register(registry);
        String wakeUps = "Times that a waiting client asked again";
        counter(LockMeters.WAKE_UPS, wakeUps, LockStatistics::wakeUpsBySignal)
                .tag("by", "message")
                .register(registry);
        counter(LockMeters.WAKE_UPS, wakeUps, LockStatistics::wakeUpsByPoll)
                .tag("by", "poll")
                .register(registry);
        counter(LockMeters.TAKE_BACKS, "Acquisitions without an answer, taken back", LockStatistics::takeBacks)
                .register(registry);
        bindPresent(registry);
    }

    private void bindPresent(MeterRegistry registry) {
        Gauge.builder(LockMeters.HELD, client, now -> now.statistics().held())
                .description("Leases held now")
                .register(registry);
        Gauge.builder(LockMeters.WAITING, client, now -> now.statistics().waiting())
                .description("Callers waiting now")
                .register(registry);
        TimeGauge.builder(
                        LockMeters.RENEWAL_LAG,
                        client,
                        TimeUnit.NANOSECONDS,
                        now -> now.statistics().renewalLag().toNanos())
                .description("How late the most overdue renewal is")
                .register(registry);
    }

    private FunctionCounter.Builder<LockClient> counter(
            String name, String description, ToDoubleFunction<LockStatistics> number) {
        return FunctionCounter.builder(name, client, now -> number.applyAsDouble(now.statistics()))
                .description(description);
    }
}
