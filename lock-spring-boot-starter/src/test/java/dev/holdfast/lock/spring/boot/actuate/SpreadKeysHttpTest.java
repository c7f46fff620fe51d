package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.ShardingProxy.Service;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two instances of an application whose Redis is a service that spreads its keys over several servers behind one address: one that refuses keys of
 * several servers, and at night one that needs a setting. {@code ShardedServiceTest} of lock-core has locks of every kind on all services.
 */
@ParameterizedClass
@MethodSource("services")
@Timeout(Await.TEST_SECONDS)
class SpreadKeysHttpTest {

    private static final Duration LIMIT = Await.PATIENCE;

    @Parameter
    @SuppressWarnings("unused") // Each class invocation starts its service before the tests.
    private Service service;

    static List<Service> services() {
        return Nightly.Night.isOn()
                ? List.of(Service.SAYS_IT_IS_ONE_SERVER, Service.ROUTES_BY_FIRST_KEY)
                : List.of(Service.SAYS_IT_IS_ONE_SERVER);
    }

    private static ShardingProxy redis;
    private static OperatedApplication one;
    private static OperatedApplication other;

    private final String id = UUID.randomUUID().toString();

    @BeforeParameterizedClassInvocation
    static void start(Service service) {
        redis = ShardingProxy.start(service);
        one = instance(service);
        other = instance(service);
    }

    private static OperatedApplication instance(Service service) {
        return OperatedApplication.of(
                List.of(),
                "spring.data.redis.port=" + redis.uri().getPort(),
                "holdfast.separate-slots=" + (service == Service.ROUTES_BY_FIRST_KEY),
                "holdfast.watchdog-timeout=3s",
                "management.endpoint.locks.access=unrestricted",
                "management.endpoint.jobs.access=unrestricted",
                "holdfast.locks.order.pausable=true",
                "management.health.holdfast.loss-window=1s",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.group.locks.include=holdfast");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        one.close();
        other.close();
        redis.close();
    }

    @Test
    void pauseByOneInstanceStopsTheOther() {
        String pause = "{\"action\": \"pause\", \"reason\": \"a test\", \"duration\": \"1h\"}";
        assertThat(one.post("/actuator/jobs/order", pause).statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> other.jobs().order("paused", "", () -> {})).isInstanceOf(LockPausedException.class);
        assertThat(one.post("/actuator/jobs/order", "{\"action\": \"resume\"}").statusCode())
                .isEqualTo(200);
        assertThatCode(() -> other.jobs().order("paused", "", () -> {})).doesNotThrowAnyException();
    }

    @Test
    void endpointShowsTheLocksOfAllServersAndFreesThem() {
        for (String name : List.of("spread:" + id + "-a", "spread:" + id + "-b")) {
            Lease lease = one.locks().getLock(name).acquire();
            assertThat(JsonPath.<List<?>>read(one.get("/actuator/locks").body(), "$.held[?(@.name == '" + name + "')]"))
                    .hasSize(1);
            assertThat(other.get(OperatedApplication.lock(name)).body()).contains(name, "\"REENTRANT\"");
            assertThat(other.delete(OperatedApplication.lock(name)).statusCode())
                    .isEqualTo(200);
            assertThat(other.locks().inspect(name)).isEmpty();
            assertThat(lease.verify()).isFalse();
        }
    }

    /** Leases that are renewed together may be on several servers. */
    @Test
    void leasesOnAllServersAreRenewed() {
        LockClient locks = one.locks();
        List<Lease> leases = IntStream.range(0, 12)
                .mapToObj(i -> locks.getLock("spread:" + id + "-" + i).acquire())
                .toList();
        long before = locks.statistics().renewals();
        Await.until(
                "three renewals of each", LIMIT, () -> locks.statistics().renewals() - before >= 3L * leases.size());
        assertThat(leases).allMatch(Lease::verify);
        assertThat(locks.statistics().renewalFailures()).isZero();
        leases.forEach(Lease::close);
    }

    @Test
    void healthIsUp() {
        Await.until(
                "the locks' health is up",
                LIMIT,
                () -> JsonPath.read(one.get("/actuator/health/locks").body(), "$.status")
                        .equals("UP"));
    }
}
