package dev.holdfast.lock.sample;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.spring.LockSnapshot;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;

/** One instance of the shop, over HTTP. Its locks are in memory: no Redis runs. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:shop;MODE=PostgreSQL",
            "shop.answer-time=10ms",
            "shop.report-cron=-",
            "management.health.redis.enabled=false"
        })
class ShopTest {

    private final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private InMemoryLockClient locks;

    @Autowired
    private ApplicationContext context;

    /** A lock that is removed, changed or moved fails here. */
    @Test
    void locksAreThoseThatWereReviewed() {
        LockSnapshot.of(context).assertMatches(Path.of("src/test/resources/locks.txt"));
    }

    @Test
    void ordersArePaidPackedInvoicedAndSent() throws Exception {
        assertThat(post("/orders/1/payment").body()).contains("paid");
        assertThat(post("/orders/1/parcel").body()).contains("packed");
        assertThat(post("/orders/1/invoice").body()).contains("printed");
        assertThat(post("/orders/1/courier").body()).contains("on its way");
        assertThat(locks)
                .released("order:1")
                .released("packing")
                .released("invoice:1")
                .released("courier");
    }

    @Test
    void pricesAreReadAndChanged() throws Exception {
        assertThat(post("/prices/lamps?price=21.50").statusCode()).isEqualTo(200);
        assertThat(get("/prices/lamps").body()).isEqualTo("21.50");
        assertProblem(get("/prices/boats"), 404);
    }

    @Test
    void wrongPricesAreRefused() throws Exception {
        for (String price : List.of("-5", "0", "1.234", "123456789", "1e99", "dear", "")) {
            assertProblem(post("/prices/lamps?price=" + price), 400);
        }
        assertProblem(post("/prices/lamps"), 400);
        assertProblem(post("/prices/boats?price=5"), 404);
        assertProblem(get("/nowhere"), 404);
    }

    @Test
    void metricsHaveTheApplicationsName() throws Exception {
        post("/orders/5/payment");
        assertThat(get("/actuator/prometheus").body())
                .contains("application=\"shop\"")
                .contains("holdfast_lock_");
    }

    @Test
    void orderThatIsBeingPaidIsAnsweredByTheBusyHandler() throws Exception {
        // The server's threads wait for the network: the kit cannot know that none of them will release the lock.
        locks.autoAdvance();
        locks.holdElsewhere("order:2");

        assertThat(post("/orders/2/payment").body()).contains("is being paid already");
        assertThat(post("/orders/3/payment").body()).contains("\"paid\"");
        assertThat(locks).wasWaitedFor("order:2").neverHeld("order:2").acquired("order:3");
    }

    @Test
    void busyMachineIsAConflictToTryAgain() throws Exception {
        locks.autoAdvance();
        locks.holdElsewhere(locks.getLock("packing", LockKind.FAIR));

        HttpResponse<String> busy = post("/orders/4/parcel");

        assertProblem(busy, 409);
        assertThat(busy.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void countIsWrittenWithItsToken() throws Exception {
        assertThat(post("/stock/lamps/count?time=10ms").body()).containsPattern("\"fence\":\"\\d{19}\"");
        assertProblem(post("/stock/boats/count?time=10ms"), 404);
        assertProblem(post("/stock/lamps/count?time=2m"), 400);
        assertProblem(post("/stock/lamps/count?time=-1s"), 400);
        assertProblem(post("/stock/lamps/count?time=soon"), 400);
    }

    @Test
    void pageAndHealthAreServed() throws Exception {
        assertThat(get("/").body()).contains("<h1>");
        assertThat(get("/stock/reports").body()).isEqualTo("[]");
        assertThat(get("/fleet").body()).contains("\"instance\":\"shop\"");
        assertThat(get("/actuator/health").body()).contains("UP");
    }

    @Test
    void allLocksOfTheFleetAreShown() throws Exception {
        locks.holdElsewhere("order:6");
        assertThat(get("/locks.html").body()).contains("js/locks.js");
        assertThat(get("/actuator/locks?fleet").body()).contains("\"complete\":true", "\"name\":\"order:6\"");
    }

    /** One format for every error, and nothing of the inside. */
    private static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.body())
                .doesNotContain("Exception")
                .doesNotContain("java.")
                .doesNotContain("holdfast");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<String> post(String path) throws Exception {
        return send(request(path).POST(HttpRequest.BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
