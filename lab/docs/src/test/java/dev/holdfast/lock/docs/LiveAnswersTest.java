package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.OtherHolder;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;

/**
 * The JSON of the pages beside what a live application answers: the same members, with values of the same form. The requests that it sends are the
 * pages' own.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.application.name=shop",
            "spring.security.user.name=olga",
            "spring.security.user.password=secret",
            "holdfast.pausable=true",
            "holdfast.key-prefix=shop:",
            "holdfast.client-name=shop@host-2:4242",
            "management.endpoints.web.exposure.include=health,jobs,locks",
            "management.endpoint.jobs.access=unrestricted",
            "management.endpoint.locks.access=unrestricted",
            "management.endpoint.health.show-details=always"
        })
class LiveAnswersTest {

    private static final Page ENDPOINT = Page.of("docs/endpoints.md");
    private static final Page BOARD = Page.of("docs/board.md");
    private static final Page HEALTH = Page.of("docs/monitoring.md");

    /** JSON between words, as in a table. */
    private static final Pattern INLINE = Pattern.compile("`(\\{\"[^`]+})`");

    /** The forms of texts. The first one that fits is that of a value. */
    private static final Map<String, Pattern> FORMS = Map.of(
            "a duration", Pattern.compile("PT[\\d.HMS]+"),
            "a time", Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"),
            "a token", Pattern.compile("\\d{19}"),
            "a number", Pattern.compile("\\d{1,18}"),
            "an owner", Pattern.compile("[\\w-]+…?:\\d+:\\d+"),
            // A test's other client has the second name.
            "an instance", Pattern.compile("\\w+@[\\w-]+:\\d+|another-instance"),
            "a constant", Pattern.compile("[A-Z_]+"));

    @LocalServerPort
    int port;

    @Autowired
    InMemoryLockClient locks;

    @Autowired
    NightlyReport job;

    private RestClient http;

    @BeforeEach
    void logIn() {
        http = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + port + "/actuator")
                .defaultHeaders(headers -> headers.setBasicAuth("olga", "secret"))
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
    }

    @Test
    void oneLockIsAsOnThePage() {
        try (WaitedFor lock = new WaitedFor("order:4711")) {
            assertSameForm(ENDPOINT.example("waitersHere"), get("/locks?name=order:4711"));
        }
    }

    @Test
    void locksOfTheFleetAreAsOnThePage() {
        try (WaitedFor lock = new WaitedFor("order:4711")) {
            assertSameForm(ENDPOINT.example("complete"), get("/locks?fleet=order:*"));
        }
    }

    @Test
    void declaredLocksAreAsOnThePage() {
        Map<String, Object> onThePage = ENDPOINT.example("method");
        Map<String, Object> declared = declared();
        assertThat(declared.keySet()).containsAll(onThePage.keySet());
        declared.keySet().retainAll(onThePage.keySet());
        assertSameForm(onThePage, declared);
    }

    @Test
    void jobsAndPausesAreAsOnThePages() {
        job.report();
        assertSameForm(BOARD.example("ticks"), get("/jobs/nightly-report"));

        assertSameForm(ENDPOINT.example("until"), post(ENDPOINT.example("action")));
        assertSameForm(inline("resumed").get(0), post(action("resume")));
        assertThat(post(action("stop"))).containsEntry("asked", false);
    }

    @Test
    void forcedReleaseIsAsOnThePage() {
        assertSameForm(
                inline("released").get(0),
                parsed(http.delete().uri("/locks?name=order:4711").retrieve().body(String.class)));
    }

    @Test
    @SuppressWarnings("unchecked") // The assertions check what the answer contains.
    void degradedHealthIsAsOnThePage() {
        LeaseLock lock = locks.getLock("order:4711");
        lock.lock();
        locks.lose("order:4711");
        Await.until(
                "the loss in the health",
                Await.PATIENCE,
                () -> "DEGRADED".equals(get("/health/holdfast").get("status")));
        Map<String, Object> live = get("/health/holdfast");
        Map<String, Object> onThePage = HEALTH.example("details");

        assertThat(live.keySet()).isEqualTo(onThePage.keySet());
        Map<String, Object> details = (Map<String, Object>) onThePage.get("details");
        details.remove("paused"); // Nothing is.
        assertSameForm(onThePage, live);
    }

    /** A lock that another instance holds, and for which this one waits. */
    private final class WaitedFor implements AutoCloseable {

        private final OtherHolder holder;
        private final Thread waiter;

        WaitedFor(String name) {
            holder = locks.holdElsewhere(name);
            LeaseLock lock = locks.getLock(name);
            waiter = new Thread(
                    () -> {
                        lock.lock();
                        lock.unlock();
                    },
                    "waits");
            waiter.start();
            locks.awaitWaiters(name, 1);
        }

        @Override
        public void close() {
            holder.close();
            try {
                waiter.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @SuppressWarnings("unchecked") // The endpoint answers lists of objects.
    private Map<String, Object> declared() {
        return ((List<Map<String, Object>>) get("/locks").get("declared")).get(0);
    }

    private Map<String, Object> get(String path) {
        return parsed(http.get().uri(path).retrieve().body(String.class));
    }

    private Map<String, Object> post(Map<String, Object> body) {
        return parsed(http.post()
                .uri("/jobs/nightly-report")
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .retrieve()
                .body(String.class));
    }

    private static Map<String, Object> action(String name) {
        return inline("action").stream()
                .filter(body -> name.equals(body.get("action")))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> parsed(@Nullable String json) {
        return JsonParserFactory.getJsonParser().parseMap(json);
    }

    private static List<Map<String, Object>> inline(String member) {
        return INLINE.matcher(ENDPOINT.text())
                .results()
                .map(found -> parsed(found.group(1)))
                .filter(example -> example.containsKey(member))
                .toList();
    }

    private static void assertSameForm(Map<String, Object> example, Map<String, Object> live) {
        assertThat(forms("", live)).isEqualTo(forms("", example));
    }

    /** The paths of all values with their forms. Of a list, the first element counts. */
    private static Set<String> forms(String path, @Nullable Object value) {
        Set<String> forms = new TreeSet<>();
        if (value instanceof Map<?, ?> members) {
            members.forEach((name, member) -> forms.addAll(forms(path + "." + name, member)));
        } else if (value instanceof List<?> elements) {
            forms.addAll(forms(path + "[]", elements.isEmpty() ? null : elements.get(0)));
        } else {
            forms.add(path + ": " + form(value));
        }
        return forms;
    }

    private static String form(@Nullable Object value) {
        if (value instanceof String text) {
            return FORMS.entrySet().stream()
                    .filter(form -> form.getValue().matcher(text).matches())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse("words");
        }
        return value == null
                ? "nothing"
                : value instanceof Number ? "a number" : value.getClass().getSimpleName();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import(NightlyReport.class)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Application {

        @Bean
        SecurityFilterChain actuator(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.ignoringRequestMatchers(EndpointRequest.to("jobs", "locks")))
                    .build();
        }
    }

    static class NightlyReport {

        private final List<String> written = new ArrayList<>();

        /** One tick a year. */
        @Scheduled(cron = "0 0 0 1 1 *")
        @OncePerTick(name = "nightly-report", waitTime = "0s")
        public void report() {
            written.add("a report");
        }
    }
}
