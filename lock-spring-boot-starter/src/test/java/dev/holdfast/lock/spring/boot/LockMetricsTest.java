package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.actuate.LockMeterAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** What the meters of an application's locks show. */
class LockMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final String id = UUID.randomUUID().toString();

    private final ApplicationContextRunner application = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(
                    LockInterceptorAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    LockMeterAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class, () -> registry)
            .withBean(Jobs.class);

    @Test
    void busyAndSkippedCallsAreCountedApart() {
        application.run(context -> {
            try (Lease busy =
                    context.getBean(LockClient.class).getLock("order:" + id).acquire()) {
                assertThatThrownBy(() -> context.getBean(Jobs.class).order(id, () -> {}))
                        .isInstanceOf(LockNotAcquiredException.class);
                context.getBean(Jobs.class).skip(id);
                assertThat(busy.isHeld()).isTrue();
            }
            assertThat(acquire("order", "busy").count()).isEqualTo(1);
            assertThat(acquire("order", "skipped").count()).isEqualTo(1);
        });
    }

    @Test
    void metersShowTheStatisticsOfTheClient() {
        LockClient client = mock(LockClient.class);
        when(client.statistics())
                .thenReturn(
                        new LockStatistics(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, Duration.ofSeconds(14), 15, 16));
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(MetricsAutoConfiguration.class, LockMeterAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class, () -> registry)
                .withBean(LockClient.class, () -> client)
                .run(context -> assertThat(registry.getMeters().stream().map(LockMetricsTest::shown))
                        .contains(
                                "acquisitions acquired 1",
                                "acquisitions busy 2",
                                "acquisitions unavailable 3",
                                "acquisitions not-yet 4",
                                "lost 5",
                                "handovers 6",
                                "wakeups message 7",
                                "wakeups poll 8",
                                "takebacks 9",
                                "renewals confirmed 10",
                                "renewals failed 11",
                                "held 12",
                                "waiting 13",
                                "renewal.lag 14",
                                "findings error 15",
                                "findings warning 16"));
    }

    /** The name of a meter, the values of its tags, and its own value. */
    private static String shown(Meter meter) {
        return Stream.of(
                        Stream.of(meter.getId().getName().replace("holdfast.lock.", "")),
                        meter.getId().getTags().stream().map(tag -> tag.getValue()),
                        Stream.of(Math.round(meter.measure().iterator().next().getValue())))
                .flatMap(part -> part)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    @Test
    void lossIsCountedWithItsCause() {
        application.run(context -> {
            assertThatThrownBy(() -> context.getBean(Jobs.class).tooLong()).isInstanceOf(LeaseLostException.class);
            assertThat(registry.get("holdfast.lock.hold")
                            .tags("name", "too-long", "lost", "expired")
                            .timer()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void manyKeysMakeNoAdditionalMeter() {
        application.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.order(id, () -> {});
            Set<Meter.Id> before = ids();
            IntStream.range(0, 200).parallel().forEach(i -> jobs.order(id + i, () -> {}));
            assertThat(acquire("order", "acquired").count()).isEqualTo(201);
            assertThat(ids()).isEqualTo(before);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void metersAreThoseOfThePageAndAnswerTheDashboardAndTheAlerts(boolean observed) throws IOException {
        Set<String> listed = listed();
        List<String> queries = queries();
        (observed
                        ? application.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
                        : application)
                .run(context -> {
                    everyMeter(context);
                    assertThat(names()).isEqualTo(listed);
                    assertThat(ids()).allSatisfy(LockMetricsTest::checkDescriptionAndTags);
                    assertThat(queries).hasSizeGreaterThan(15).allSatisfy(this::checkQuery);
                });
    }

    private static void checkDescriptionAndTags(Meter.Id meter) {
        if (!meter.getName().matches("holdfast\\.lock\\.(acquire|hold)(\\.active)?")) {
            assertThat(meter.getDescription()).as(meter.getName()).isNotBlank();
        }
        assertThat(meter.getTags())
                .filteredOn(tag -> !tag.getKey().equals("error"))
                .allSatisfy(tag -> assertThat(tag.getValue()).isLowerCase());
    }

    private static List<String> queries() throws IOException {
        return Stream.concat(
                        PromQueries.of(Path.of("../docs/grafana-dashboard.json")).stream(),
                        PromQueries.of(Path.of("../docs/prometheus-rules.yml")).stream())
                .toList();
    }

    private void checkQuery(String query) {
        assertThat(PromQueries.meters(query))
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(tags(meter)).as(meter).containsAll(PromQueries.labels(query)));
    }

    private static Set<String> listed() throws IOException {
        return Files.readAllLines(Path.of("../docs/monitoring.md")).stream()
                .filter(line -> line.matches("\\| `holdfast\\.[^`]*` \\| (timer|long task timer|counter|gauge).*"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The tags of a meter with this name in Prometheus, and those that Prometheus or a common setting adds. Empty if there is none. */
    private Set<String> tags(String meter) {
        Set<String> tags = ids().stream()
                .filter(id -> inPrometheus(id).anyMatch(meter::equals))
                .flatMap(id -> id.getTags().stream())
                .map(io.micrometer.core.instrument.Tag::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        boolean exists = ids().stream().anyMatch(id -> inPrometheus(id).anyMatch(meter::equals));
        if (exists) {
            tags.addAll(List.of("application", "instance", "job"));
        }
        return tags;
    }

    /** A value that no meter has would make an alert that never fires. The page lists the values of each tag. */
    @Test
    void alertsAskForValuesThatThePageLists() throws IOException {
        String page = Files.readString(Path.of("../docs/monitoring.md"));
        assertThat(PromQueries.of(Path.of("../docs/prometheus-rules.yml")))
                .flatMap(PromQueries::values)
                .isNotEmpty()
                .allSatisfy(value -> assertThat(page).contains("`" + value + "`"));
    }

    @Test
    void applicationWithoutMicrometerStarts() {
        Contexts.on(RedisServer.shared())
                .withConfiguration(AutoConfigurations.of(LockMeterAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("holdfastMetrics"));
    }

    private Set<String> names() {
        return ids().stream().map(Meter.Id::getName).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Each kind of meter once. */
    private void everyMeter(ApplicationContext context) {
        context.getBean(Jobs.class).order(id, () -> {});
        Runnable loss = () -> context.getBean(LockClient.class).forceRelease("order:" + id);
        assertThatThrownBy(() -> context.getBean(Jobs.class).order(id, loss)).isInstanceOf(LeaseLostException.class);
    }

    /** A meter's names as Prometheus shows them. */
    private static Stream<String> inPrometheus(Meter.Id id) {
        String name = id.getName().replace('.', '_');
        return switch (id.getType()) {
            case TIMER ->
                Stream.of("_seconds_count", "_seconds_sum", "_seconds_max").map(name::concat);
            case COUNTER -> Stream.of(name + "_total");
            default -> Stream.of(id.getBaseUnit() == null ? name : name + "_" + id.getBaseUnit());
        };
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(meter -> meter.getName().startsWith("holdfast."))
                .collect(Collectors.toSet());
    }

    private Timer acquire(String name, String outcome) {
        return registry.get("holdfast.lock.acquire")
                .tags("name", name, "outcome", outcome)
                .timer();
    }

    static class Jobs {

        @DistributedLock(name = "order", key = "#id", waitTime = "20ms")
        public void order(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "order", key = "#id", onBusy = OnBusy.SKIP)
        public void skip(String id) {}

        @Scheduled(cron = "0 0 0 1 1 *")
        @OncePerTick("yearly")
        public void yearly() {}

        @DistributedLock(name = "too-long", leaseTime = "3s")
        public void tooLong() throws InterruptedException {
            CountDownLatch lost = new CountDownLatch(1);
            LockContext.current().onLost(loss -> lost.countDown());
            lost.await();
        }
    }
}
