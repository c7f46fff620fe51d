package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.ShardingProxy.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;

/**
 * Two instances of an application whose Redis is a service that spreads its keys over several servers behind one address: one that refuses keys of
 * several servers, and at night one that needs a setting. {@code ShardedServiceTest} of lock-core has all services, and {@code TopologiesTest} has both
 * in each build.
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
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeParameterizedClassInvocation
    static void start(Service service) {
        redis = ShardingProxy.start(service);
        one = instance(service);
        other = instance(service);
    }

    private static OperatedApplication instance(Service service) {
        return OperatedApplication.of(
                List.of(Beans.class),
                "spring.data.redis.port=" + redis.uri().getPort(),
                "holdfast.separate-slots=" + (service == Service.ROUTES_BY_FIRST_KEY),
                "holdfast.watchdog-timeout=3s",
                "management.endpoint.locks.access=unrestricted",
                "management.endpoint.jobs.access=unrestricted",
                "holdfast.locks.plain.pausable=true",
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

    static class Beans {

        @Bean
        Exports exports() {
            return new Exports();
        }
    }

    /** Public, because its proxy is of another class loader. */
    public static class Exports {

        @DistributedLock(name = "plain", key = "#id", waitTime = "PT0S")
        public void plain(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "fair", key = "#id", kind = LockKind.FAIR, waitTime = "PT0S")
        public void fair(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "document", key = "#id", kind = LockKind.WRITE, waitTime = "PT0S")
        public void write(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "document", key = "#id", kind = LockKind.READ, waitTime = "PT0S")
        public void read(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "permit", key = "#id", permits = "2", waitTime = "PT0S")
        public void permit(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "several", keys = "#ids", waitTime = "PT0S")
        public void several(List<String> ids, Runnable body) {
            body.run();
        }
    }

    private static Exports on(OperatedApplication instance) {
        return instance.bean(Exports.class);
    }

    /** Runs a call on a thread of its own, and waits until its body runs. */
    private CompletableFuture<Void> running(Call call) {
        CountDownLatch inBody = new CountDownLatch(1);
        CompletableFuture<Void> ended = CompletableFuture.runAsync(
                () -> call.run(() -> {
                    inBody.countDown();
                    Locked.await(end);
                    assertThat(LockContext.current().verify()).isTrue();
                }),
                task -> new Thread(task, "call").start());
        Await.until("the body runs", LIMIT, () -> inBody.getCount() == 0 || ended.isDone());
        assertThat(ended).isNotDone();
        return ended;
    }

    private interface Call {
        void run(Runnable body);
    }

    @Test
    void pauseByOneInstanceStopsTheOther() {
        String pause = "{\"action\": \"pause\", \"reason\": \"a test\", \"duration\": \"1h\"}";
        assertThat(one.post("/actuator/jobs/plain", pause).statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> on(other).plain("paused", () -> {})).isInstanceOf(LockPausedException.class);
        assertThat(one.post("/actuator/jobs/plain", "{\"action\": \"resume\"}").statusCode())
                .isEqualTo(200);
        assertThatCode(() -> on(other).plain("paused", () -> {})).doesNotThrowAnyException();
    }

    /** Calls of every kind, of which some are on one server and some on the other. */
    private List<CompletableFuture<Void>> runningCalls() {
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (String key : List.of(id + "-a", id + "-b")) {
            calls.add(running(body -> on(one).plain(key, body)));
            calls.add(running(body -> on(one).fair(key, body)));
            calls.add(running(body -> on(one).write(key, body)));
            calls.add(running(body -> on(one).permit(key, body)));
            calls.add(running(body -> on(other).permit(key, body)));
        }
        calls.add(running(body -> on(one).several(List.of(id + "-a", id + "-b", id + "-c"), body)));
        calls.add(running(body -> on(one).read(id + "-read", body)));
        calls.add(running(body -> on(other).read(id + "-read", body)));
        return calls;
    }

    private void assertBusyToTheOther(String key) {
        Runnable body = () -> {};
        List<Runnable> calls = List.of(
                () -> on(other).plain(key, body),
                () -> on(other).fair(key, body),
                () -> on(other).write(key, body),
                () -> on(other).read(key, body),
                () -> on(other).permit(key, body),
                () -> on(other).several(List.of(id + "-d", key), body));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(LockNotAcquiredException.class));
    }

    @Test
    void callsOfEveryKindKeepTheirLocksAndOthersOut() throws Exception {
        List<CompletableFuture<Void>> calls = runningCalls();
        LockStatistics before = one.locks().statistics();

        Await.until(
                "three renewals of each",
                LIMIT,
                () -> one.locks().statistics().renewals() - before.renewals() >= 3L * calls.size());

        assertBusyToTheOther(id + "-a");
        assertBusyToTheOther(id + "-b");
        assertThatThrownBy(() -> on(other).write(id + "-read", () -> {})).isInstanceOf(LockNotAcquiredException.class);
        end.countDown();
        for (CompletableFuture<Void> call : calls) {
            call.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(one.locks().statistics().renewalFailures()).isZero();
        assertThat(one.locks().statistics().lost()).isEqualTo(before.lost());
        on(other).write(id + "-read", () -> {});
        on(other).several(List.of(id + "-a", id + "-b", id + "-c"), () -> {});
    }

    @Test
    void callThatWaitsRunsAfterTheOtherInstancesCall() throws Exception {
        CompletableFuture<Void> first = running(body -> one.jobs().order(id, "secret", body));
        CompletableFuture<Void> second = CompletableFuture.runAsync(
                () -> other.jobs().order(id, "secret", () -> {}), task -> new Thread(task, "waiter").start());
        Await.until(
                "the second call waits",
                LIMIT,
                () -> other.locks()
                                .inspect("order:" + id)
                                .map(LockState::waitersHere)
                                .orElse(0)
                        == 1);
        assertThat(second).isNotDone();

        end.countDown();

        first.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        second.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void endpointShowsTheLocksOfAllServersAndFreesThem() throws Exception {
        List<CompletableFuture<Void>> calls = List.of(
                running(body -> on(one).plain(id + "-a", body)), running(body -> on(one).plain(id + "-b", body)));

        for (String name : List.of("plain:" + id + "-a", "plain:" + id + "-b")) {
            assertThat(JsonPath.<List<?>>read(one.get("/actuator/locks").body(), "$.held[?(@.name == '" + name + "')]"))
                    .hasSize(1);
            assertThat(other.get(OperatedApplication.lock(name)).body()).contains(name, "\"REENTRANT\"");
            assertThat(other.delete(OperatedApplication.lock(name)).statusCode())
                    .isEqualTo(200);
            assertThat(other.locks().inspect(name)).isEmpty();
        }
        end.countDown();
        assertThat(calls).allSatisfy(call -> assertThat(call).failsWithin(LIMIT));
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
