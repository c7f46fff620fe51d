package dev.holdfast.lock.spring.job;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A gauge for each declared job. It is read without Redis. */
public final class OverdueMeters implements MeterBinder {

    private final KnownJobs known;
    private final OverdueWatch watch;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    public OverdueMeters(Jobs jobs) {
        this.known = jobs.known();
        this.watch = jobs.overdue();
        known.onAdded(this::bind);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        bind();
    }

    /** A meter that a registry has already stays as it is. */
    private void bind() {
        for (MeterRegistry registry : registries) {
            known.all().stream()
                    .map(job -> job.operation().name())
                    .distinct()
                    .forEach(name -> TimeGauge.builder(
                                    "holdfast.job.overdue", watch, TimeUnit.SECONDS, now -> now.seconds(name))
                            .description("How long ago the first tick was that should have begun, 0 if all is well")
                            .tag("name", name)
                            .register(registry));
        }
    }
}
