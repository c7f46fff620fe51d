package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.boot.actuate.LocksReport.LockReport;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** The endpoint over HTTP, where the application has no Spring Security and has not opened the endpoint for writing. */
class LocksEndpointHttpTest {

    private static OperatedApplication application;

    private final String id = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        application = OperatedApplication.withoutSecurity("holdfast.locks.order.wait-time=40s");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void listsWhatIsHeldAndWaitedForWithNothingButTheKey() throws InterruptedException {
        CountDownLatch inBody = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        Thread holder = new Thread(
                () -> application.jobs().order(id, "top-secret", () -> {
                    inBody.countDown();
                    Locked.await(finish);
                }),
                "holder");
        Thread waiter = new Thread(() -> application.jobs().order(id, "top-secret", () -> {}), "waiter");
        try {
            holder.start();
            inBody.await();
            waiter.start();
            Await.until(
                    "somebody waits",
                    Await.PATIENCE,
                    () -> JsonPath.<List<?>>read(locks(), "$.held[?(@.key == '" + id + "' && @.waiters == 1)]")
                                    .size()
                            == 1);

            String body = locks();
            Map<String, Object> held = one(body, "held");
            assertThat(held)
                    .containsEntry("name", "order:" + id)
                    .containsEntry("declaredName", "order")
                    .containsEntry("kind", "REENTRANT")
                    .containsEntry("renewed", true)
                    .containsEntry("thread", "holder");
            assertThat((String) held.get("fencingToken")).matches("[1-9][0-9]*");
            assertThat(Instant.parse((String) held.get("since"))).isBeforeOrEqualTo(Instant.now());
            assertThat(Duration.parse((String) held.get("remaining"))).isBetween(Duration.ZERO, Duration.ofSeconds(9));
            Map<String, Object> waiting = one(body, "waiting");
            assertThat(waiting)
                    .containsEntry("name", "order:" + id)
                    .containsEntry("declaredName", "order")
                    .containsEntry("kind", "REENTRANT")
                    .containsEntry("thread", "waiter");
            assertThat(Instant.parse((String) waiting.get("since")))
                    .isBetween(Instant.parse((String) held.get("since")), Instant.now());
            assertThat(body).doesNotContain("top-secret");
        } finally {
            finish.countDown();
            holder.join();
            waiter.join();
        }
        assertThat(JsonPath.<List<?>>read(locks(), "$.waiting")).isEmpty();
    }

    @Test
    void listsWhoWaitsForALockByHand() {
        String name = "by-hand/" + id;
        try (Lease lease = application.locks().getLock(name, LockKind.FAIR).acquire()) {
            CompletableFuture<Lease> wanted = application
                    .locks()
                    .getLock(name, LockKind.FAIR)
                    .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(30)))
                    .toCompletableFuture();
            assertThat(waiting(name))
                    .containsEntry("kind", "FAIR")
                    .containsEntry("thread", Thread.currentThread().getName())
                    .containsEntry("declaredName", null)
                    .containsEntry("key", null);
            assertThat(lease.isHeld()).isTrue();
            wanted.cancel(false);
        }
    }

    @Test
    void listsLocksThatAreTakenTogetherUnderTheirDeclaredName() throws InterruptedException {
        Thread waiter = new Thread(() -> application.jobs().orders(List.of(id + "-2", id)));
        try (Lease lease = application.locks().getLock("order:" + id).acquire()) {
            waiter.start();
            assertThat(waiting("[order:" + id + ", order:" + id + "-2]"))
                    .containsEntry("declaredName", "order")
                    .containsEntry("key", null);
            assertThat(lease.isHeld()).isTrue();
        }
        waiter.join();
    }

    /** Who waits for the lock of that name, once anybody does. */
    private static Map<String, Object> waiting(String name) {
        AtomicReference<Map<String, Object>> found = new AtomicReference<>();
        Await.until(
                "somebody waits for " + name,
                Await.PATIENCE,
                () -> JsonPath.<List<Map<String, Object>>>read(locks(), "$.waiting").stream()
                        .filter(waiting -> waiting.get("name").equals(name))
                        .peek(found::set)
                        .findAny()
                        .isPresent());
        return found.get();
    }

    @Test
    void listsDeclaredLocksWithTheSettingsThatHold() {
        assertThat(declared("order"))
                .containsEntry("kind", "REENTRANT")
                .containsEntry("key", "#id")
                .containsEntry("method", "Jobs.order")
                .containsEntry("bypass", false)
                .containsEntry("waitTime", "PT40S")
                .containsEntry("onBusy", "THROW");
    }

    @Test
    void showsAFallbackInPlaceOfOnBusy() {
        assertThat(declared("refund")).containsEntry("fallback", true).containsEntry("onBusy", null);
        assertThat(declared("order")).containsEntry("fallback", false);
    }

    private static Map<String, Object> declared(String name) {
        return JsonPath.<List<Map<String, Object>>>read(locks(), "$.declared[?(@.name == '" + name + "')]")
                .get(0);
    }

    @Test
    void showsALockOfThisLibraryByAnyInstanceWithColonsAndSlashesInItsName() {
        String name = "eu:west/a/" + id;
        try (Lease lease = application.locks().getLock(name, LockKind.WRITE).acquire()) {
            String body = application.get(OperatedApplication.lock(name)).body();
            assertThat(JsonPath.<Map<String, Object>>read(body, "$"))
                    .containsEntry("name", name)
                    .containsEntry("held", true)
                    .containsEntry("kind", "WRITE");
            assertThat(JsonPath.<Object>read(body, "$.holders[0].fencingToken"))
                    .isEqualTo(Long.toString(lease.fencingToken()));
            assertThat(JsonPath.<String>read(body, "$.holders[0].since")).isNotBlank();
        }
    }

    @Test
    void showsAHolderThatIsARedissonClient() {
        // As Redisson writes it: the client's id and the thread's, and how often it is held.
        String owner = UUID.randomUUID() + ":42";
        String name = "redisson-" + id;
        RedisServer.shared().cli().hset(name, owner, "2");
        RedisServer.shared().cli().pexpire(name, 30_000);
        Map<String, Object> holder =
                JsonPath.read(application.get(OperatedApplication.lock(name)).body(), "$.holders[0]");
        RedisServer.shared().cli().del(name);
        assertThat(holder)
                .containsEntry("owner", owner)
                .containsEntry("thread", 42)
                .containsEntry("holds", 2)
                .containsEntry("since", null);
    }

    @Test
    void showsAFreeLockAsFree() {
        HttpResponse<String> answer = application.get(OperatedApplication.lock(id));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(answer.body(), "$.held")).isFalse();
    }

    @Test
    void nameThatNoLockCanHaveIsABadRequest() {
        assertThat(application
                        .get(OperatedApplication.lock("{}" + "a".repeat(600)))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void parameterWithATypingErrorIsABadRequest() {
        HttpResponse<String> answer = application.get("/actuator/locks?nmae=" + id);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(answer.body(), "$.error"))
                .isEqualTo("Unknown: 'nmae'. Known: 'fleet', 'name'");
    }

    @Test
    void showsTheLocksOfAllInstancesThatMatchAPattern() {
        try (Lease lease = application.locks().getLock("order:" + id).acquire()) {
            CompletableFuture<Lease> wanted = application
                    .locks()
                    .getLock("order:" + id)
                    .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(30)))
                    .toCompletableFuture();
            AtomicReference<String> body = new AtomicReference<>();
            Await.until("holder and waiter are named", Await.PATIENCE, () -> {
                body.set(application.get("/actuator/locks?fleet=order:*" + id).body());
                return !JsonPath.<List<?>>read(body.get(), "$.locks[0].waiting[?(@.client != null)]")
                                .isEmpty()
                        && JsonPath.read(body.get(), "$.locks[0].holders[0].client") != null;
            });
            assertThat(JsonPath.<Map<String, Object>>read(body.get(), "$"))
                    .containsEntry("complete", true)
                    .containsEntry("missing", null);
            assertThat(JsonPath.<Map<String, Object>>read(body.get(), "$.locks[0]"))
                    .containsEntry("name", "order:" + id)
                    .containsEntry("kind", "REENTRANT")
                    .containsEntry("holderCount", 1)
                    .containsEntry("queueLength", 1);
            assertThat(JsonPath.<String>read(body.get(), "$.locks[0].holders[0].fencingToken"))
                    .isEqualTo(Long.toString(lease.fencingToken()));
            wanted.cancel(false);
        }
    }

    @Test
    void withoutKeyPrefixAllLocksMustBeAskedForWithAPattern() {
        for (String parameter : List.of("fleet", "fleet=", "fleet=true")) {
            HttpResponse<String> answer = application.get("/actuator/locks?" + parameter);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("no key prefix", "or *");
        }
        assertThat(application.get("/actuator/locks?fleet=*").statusCode()).isEqualTo(200);
    }

    @Test
    void forceReleaseIsRefusedUnlessSwitchedOn() {
        try (Lease lease = application.locks().getLock(id).acquire()) {
            assertThat(application.delete(OperatedApplication.lock(id)).statusCode())
                    .isEqualTo(405);
            assertThat(RedisServer.shared().cli().exists(id)).isEqualTo(1);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void nativeImageCanWriteTheAnswers() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class, JobsEndpoint.class);
        assertThat(List.of(
                        LocksReport.class,
                        LocksReport.Held.class,
                        LockReport.class,
                        LockReport.HolderReport.class,
                        FoundLocksReport.class,
                        FoundLocksReport.FoundLock.class,
                        FoundLocksReport.Place.class,
                        JobsEndpoint.JobReport.class,
                        LockPause.class,
                        JobBoard.Job.class,
                        JobBoard.Entry.class))
                .allSatisfy(
                        type -> assertThat(RuntimeHintsPredicates.reflection().onType(type))
                                .accepts(hints));
    }

    private static String locks() {
        return application.get("/actuator/locks").body();
    }

    private Map<String, Object> one(String body, String list) {
        return JsonPath.<List<Map<String, Object>>>read(body, "$." + list + "[?(@.key == '" + id + "')]")
                .get(0);
    }
}
