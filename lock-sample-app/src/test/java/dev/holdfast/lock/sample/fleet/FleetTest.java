package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What the README's first command shows, observed from outside: over HTTP and, where the system has Chromium, on the page. One fleet serves all
 * tests, since starting it takes longer than any of them; so they have an order, and the last one presses Ctrl-C.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FleetTest {

    private static final String NO_BROWSER =
            "There is no Chromium with its driver in /usr/bin: the page was not looked at";

    private static final Duration SOON = Duration.ofSeconds(30);

    private static final long PERIOD = 5_000;

    private static LaunchedFleet fleet;
    private static @Nullable Page page;
    private static long started;
    private static long disturbedFrom;
    private static long disturbedUntil;

    @BeforeAll
    static void start() throws Exception {
        fleet = LaunchedFleet.start();
        started = System.currentTimeMillis();
        page = Page.open(fleet.url("alpha")).orElse(null);
    }

    @AfterAll
    static void end() {
        if (page != null) {
            page.close();
        }
        fleet.close();
    }

    @Test
    @Order(1)
    void pageShowsThreeInstancesAndWhatTheyDo() throws Exception {
        Page shown = browser();
        assertThat(shown.shows("h1", "locks", SOON)).isTrue();
        for (String each : List.of("alpha", "bravo", "charlie")) {
            assertThat(shown.shows("[data-instance=" + each + "]", "running", SOON))
                    .as(each)
                    .isTrue();
        }
        assertThat(shown.count("#instances li")).isEqualTo(3);
        assertThat(shown.shows("#line", "order:", SOON)).isTrue();
        assertThat(shown.shows("#ticks", "stood aside", Duration.ZERO)).isFalse();
        assertThat(shown.shows("#ticks tr", "a", SOON)).isTrue();
    }

    @Test
    @Order(2)
    void pageIsFitForKeyboardsScreenReadersAndPhones() throws Exception {
        Page shown = browser();
        assertThat(shown.accessibilityProblems()).isEmpty();
        shown.dark(true);
        assertThat(shown.accessibilityProblems()).as("dark").isEmpty();
        shown.width(360);
        assertThat(shown.scrollsSideways()).isFalse();
        assertThat(shown.accessibilityProblems()).as("on a phone").isEmpty();
        shown.picture(Path.of("target", "page-phone-dark.png"));
        shown.dark(false);
        shown.width(1100);
    }

    @Test
    @Order(3)
    void pageLoadsNothingFromElsewhereAndDoesNotComplain() {
        Page shown = browser();
        assertThat(shown.requests()).isNotEmpty().allMatch(each -> each.startsWith("http://127.0.0.1:"));
        assertThat(shown.complaints()).isEmpty();
    }

    @Test
    @Order(4)
    void staleWriteOfAPausedInstanceIsRefused() throws Exception {
        disturbedFrom = System.currentTimeMillis();
        press("charlie", "pause");
        assertThat(fleet.feeds()
                        .get("charlie")
                        .await(
                                event -> event.type().equals("write")
                                        && !event.data().path("accepted").asBoolean(),
                                Duration.ofSeconds(60)))
                .isTrue();
        disturbedUntil = System.currentTimeMillis() + PERIOD;
        if (page != null) {
            assertThat(page.shows("#writes", "refused: stale", SOON)).isTrue();
            page.picture(".pair", Path.of("target", "page-writes.png"));
            assertThat(page.complaints()).isEmpty();
        }
    }

    @Test
    @Order(5)
    void locksOfAKilledInstanceMoveOn() throws Exception {
        fleet.postLater(fleet.url("bravo") + "/stock/lamps/count?time=60s");
        EventFeed bravo = fleet.feeds().get("bravo");
        long asked = System.currentTimeMillis();
        assertThat(bravo.await(event -> event.is("acquired", Trouble.LOCK) && event.at() >= asked, SOON))
                .isTrue();
        press("bravo", "kill");
        long killed = System.currentTimeMillis();
        fleet.postLater(fleet.url("charlie") + "/stock/lamps/count?time=2s");
        assertThat(fleet.feeds()
                        .get("charlie")
                        .await(event -> event.is("acquired", Trouble.LOCK) && event.at() > killed, SOON))
                .isTrue();
        if (page != null) {
            assertThat(page.shows("[data-instance=bravo]", "gone", SOON)).isTrue();
            assertThat(page.shows("#news", "took over " + Trouble.LOCK + ", which bravo held", SOON))
                    .isTrue();
            assertThat(page.complaints()).allMatch(each -> each.contains(fleet.url("bravo")));
        }
    }

    @Test
    @Order(6)
    void eachTickRanOnceInAMinute() throws Exception {
        long left = started + 60_000 - System.currentTimeMillis();
        TimeUnit.MILLISECONDS.sleep(Math.max(0, left)); // The minute is the subject.
        if (page != null) {
            page.picture(Path.of("target", "page.png"));
        }
        long until = System.currentTimeMillis() - PERIOD;

        Map<Long, Long> runs = fleet.heard("acquired", "stock-report").stream()
                .collect(Collectors.groupingBy(event -> event.at() / PERIOD, TreeMap::new, Collectors.counting()));
        List<Long> ticks = new ArrayList<>();
        for (long tick = started / PERIOD + 1; tick < until / PERIOD; tick++) {
            long at = tick * PERIOD;
            // A tick that fell into a standstill is made up for when it ends, which may be the next one's time.
            if (at + PERIOD < disturbedFrom || at > disturbedUntil) {
                ticks.add(tick);
            }
        }
        assertThat(ticks).hasSizeGreaterThan(3);
        assertThat(ticks).allSatisfy(tick -> assertThat(runs.get(tick)).isEqualTo(1));
    }

    @Test
    @Order(7)
    void laterHoldersHaveHigherTokens() {
        for (String lock : List.of("order:1", "order:2", "order:3", "packing", Trouble.LOCK, "stock-report")) {
            List<Long> tokens = fleet.heard("acquired", lock).stream()
                    .sorted((a, b) -> Long.compare(a.at(), b.at()))
                    .map(EventFeed.Event::token)
                    .toList();
            assertThat(tokens).as(lock).isNotEmpty().isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    @Order(8)
    void stoppedRedisIsShownAndStartedAgain() throws Exception {
        assertThat(fleet.post(fleet.control("/redis/stop"))).isEqualTo(200);
        assertThat(fleet.feeds()
                        .get("alpha")
                        .await(
                                event -> event.type().equals("board")
                                        && !event.data().path("redis").asBoolean(),
                                SOON))
                .isTrue();
        long down = System.currentTimeMillis();
        if (page != null) {
            assertThat(page.shows("#redis-state", "stopped", SOON)).isTrue();
        }
        assertThat(fleet.post(fleet.control("/redis/start"))).isEqualTo(200);
        assertThat(fleet.feeds()
                        .get("alpha")
                        .await(event -> event.type().equals("acquired") && event.at() > down, SOON))
                .isTrue();
    }

    @Test
    @Order(9)
    void strangersPagesCannotStopProcesses() throws Exception {
        assertThat(fleet.post(fleet.control("/instances/alpha/kill"), "Origin", "http://evil.example"))
                .isEqualTo(403);
        assertThat(fleet.post(fleet.control("/instances/nobody/kill"))).isEqualTo(404);
    }

    @Test
    @Order(10)
    void ctrlCLeavesNothing() throws Exception {
        List<ProcessHandle> processes = fleet.processes();
        // Somebody works and somebody waits for them: neither may hold up the end.
        fleet.postLater(fleet.url("alpha") + "/stock/lamps/count?time=60s");
        fleet.postLater(fleet.url("charlie") + "/stock/lamps/count?time=60s");
        assertThat(processes).hasSizeGreaterThanOrEqualTo(3);

        assertThat(fleet.pressCtrlC()).isTrue();

        for (ProcessHandle each : processes) {
            each.onExit().get(10, TimeUnit.SECONDS);
        }
        assertThat(fleet.leftFiles()).isFalse();
    }

    private static void press(String instance, String what) throws Exception {
        if (page != null) {
            page.press(instance, what);
        } else {
            fleet.postLater(fleet.control("/instances/" + instance + "/" + what));
        }
    }

    private static Page browser() {
        assumeTrue(page != null, NO_BROWSER);
        return page;
    }
}
