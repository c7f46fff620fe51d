package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;

/**
 * What the README's first command shows while nothing goes wrong, observed from outside: over HTTP and, where the system has Chromium, on the page.
 * One fleet serves all tests, since it takes longer to start than any of them. So they have an order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class FleetAtWork {

    static final Duration SOON = Await.PATIENCE;

    private static final long PERIOD = 5_000;

    private static final Pattern REPORTED = Pattern.compile("\"at\":\"([^\"]+)\"");

    private static final String SEVERAL_HOLDS =
            "return [...model.holds.values()].filter(hold => hold.lock === 'order:1').length > 2";

    /** For five seconds, compares after each change which instance has a lock by its row and by the cards. */
    private static final String ONE_MOMENT = """
            const wrong = new Set();
            const compare = () => {
              for (const row of document.querySelectorAll('.row-lock:not([data-lock="price-list"])')) {
                const byRow = row.querySelector('.row-state').textContent.replace('free', '');
                const byCards = [...document.querySelectorAll('#instances li')]
                    .filter(card => card.querySelector('.holding').textContent.replace('holds ', '').split(', ').includes(row.dataset.lock))
                    .map(card => card.dataset.instance).join(', ');
                if (byRow !== byCards) wrong.add(`${row.dataset.lock}: ${byRow || 'free'} by its row, ${byCards || 'nobody'} by the cards`);
              }
            };
            const observer = new MutationObserver(compare);
            observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
            await new Promise(done => setTimeout(done, 5000));
            observer.disconnect();
            return [...wrong].join('; ');""";

    /** Six within seconds. There is room for three names. */
    private static final String NEAR_MARKS = """
            const [a, b, c] = model.instances;
            model.marks = [[a, 'ready', 3000], [c, 'paused', 2300], [c, 'resumed', 1600], [b, 'killed', 900], [b, 'started', 600], [b, 'ready', 200]]
                .map(([instance, kind, ago]) => ({ at: Date.now() - ago, instance, kind }));""";

    /** For six seconds, in which names move from the left of their marks to the right. */
    private static final String COVERED_NAMES = """
            let [names, covered] = [0, 0];
            for (let n = 0; n < 30; n++) {
              await new Promise(done => setTimeout(done, 200));
              const shown = [...document.querySelectorAll('.mark-name')].filter(name => name.getAttribute('visibility') !== 'hidden')
                  .map(name => name.getBoundingClientRect());
              names = shown.length;
              covered += shown.filter((one, n) => shown.slice(n + 1).some(other => one.left < other.right && other.left < one.right
                  && one.top < other.bottom - 2 && other.top < one.bottom - 2)).length;
            }
            return `${names} names, ${covered} covered`;""";

    /** The page's model with two running instances, and the time. */
    private static final String TWO_RUNNING = """
            const { Model } = await import('/js/model.js');
            const model = new Model([{ name: 'alpha', url: '' }, { name: 'bravo', url: '' }], [], 4000);
            const [alpha, bravo] = model.instances;
            model.become(alpha, 'running', 0);
            model.become(bravo, 'running', 0);
            const now = Date.now();
            const drawn = at => String(BigInt(at) * 1000n * 1024n);
            """;

    static LaunchedFleet fleet;
    static @Nullable Page page;
    static long started;

    @BeforeAll
    static void start() throws Exception {
        // Both take seconds to start, so they start at the same time.
        CompletableFuture<Optional<Page>> browser = CompletableFuture.supplyAsync(Page::open);
        try {
            fleet = LaunchedFleet.start(18400);
            started = System.currentTimeMillis();
        } finally {
            page = browser.join().orElse(null);
        }
        if (page != null) {
            page.visit(fleet.page());
        }
    }

    @AfterAll
    static void end() {
        if (page != null) {
            page.close();
        }
        fleet.close();
    }

    static Page browser() {
        return Page.orSkip(page);
    }

    @Test
    @Order(1)
    void pageShowsThreeInstancesAndSixLocks() throws Exception {
        Page shown = browser();
        for (String each : List.of("alpha", "bravo", "charlie")) {
            assertThat(shown.shows("[data-instance=" + each + "]", "running", SOON))
                    .as(each)
                    .isTrue();
        }
        assertThat(shown.count(".row-lock")).isEqualTo(6);
        assertThat(shown.shows("#acquisitions", "1", SOON)).isTrue();
        assertThat(shown.text("#overlaps")).isEqualTo("0 overlaps");
    }

    @Test
    @Order(2)
    void detailsShowOnFocusAndArrowKeysStepThroughThem() throws Exception {
        Page shown = browser();
        assertThat(shown.awaits(SEVERAL_HOLDS, SOON)).isTrue();
        shown.run("document.querySelector(\"[data-lock='order:1']\").focus()");
        assertThat(shown.shows("#detail", "holds order:1", SOON)).isTrue();
        String newest = shown.text("#detail");
        shown.type(Keys.ARROW_LEFT);
        assertThat(shown.shows("#detail", "holds order:1", SOON)).isTrue();
        assertThat(shown.text("#detail")).isNotEqualTo(newest);
        // The page changes many times meanwhile, and the focus stays.
        TimeUnit.SECONDS.sleep(2); // Time is the subject.
        assertThat(shown.run("return document.activeElement.dataset.lock")).isEqualTo("order:1");
    }

    @Test
    @Order(3)
    void nothingMovesThatNobodyTouched() throws Exception {
        Page shown = browser();
        shown.reload();
        assertThat(shown.awaits("return window.model?.acquisitions >= 2", SOON)).isTrue();
        TimeUnit.SECONDS.sleep(5); // Time is the subject.
        assertThat(shown.layoutShift()).isLessThan(0.02);
    }

    @Test
    @Order(4)
    void pageIsFitForKeyboardsScreenReadersAndPhones() throws Exception {
        Page shown = browser();
        assertThat(shown.accessibilityProblems()).isEmpty();
        shown.dark(true);
        assertThat(shown.accessibilityProblems()).as("dark").isEmpty();
        shown.width(360);
        assertThat(shown.fits(SOON)).isTrue();
        assertThat(shown.accessibilityProblems()).as("on a phone").isEmpty();
        assertThat((Number) shown.run("return document.getElementById('story-part').getBoundingClientRect().top"))
                .as("what can be tried is on the first screen of a phone")
                .satisfies(top -> assertThat(top.doubleValue()).isLessThan(640));
        shown.dark(false);
        shown.width(1400);
    }

    @Test
    @Order(5)
    void pageLoadsNothingFromElsewhereAndDoesNotComplain() {
        Page shown = browser();
        assertThat(shown.requests()).isNotEmpty().allMatch(each -> each.startsWith("http://127.0.0.1:"));
        assertThat(shown.complaints()).isEmpty();
    }

    static Stream<Arguments> stories() {
        return Stream.of(
                arguments("releasedHoldDoesNotComeBackWithALateSnapshot", """
                const held = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 3001), heldMillis: 10, remainingMillis: 3000 };
                model.acquired(alpha, { ...held, at: now - 3000, millis: 0 });
                model.released(alpha, { ...held, at: now - 2000, millis: 1000 });
                model.board(alpha, { at: now - 2001, redis: true, held: [held], waiting: [] });
                model.acquired(bravo, { ...held, token: drawn(now - 1995), at: now - 1990, millis: 0 });
                model.board(alpha, { at: now, redis: true, held: [], waiting: [] });
                model.pass(now);
                return [model.heldBy(alpha).length, model.heldBy(bravo).length, model.overlaps.size, model.acquisitions].join(' ');
                """, "0 1 0 2"),
                // The second one began after the snapshot.
                arguments("holdThatIsAbsentFromALaterSnapshotIsOver", """
                const held = { lock: 'x', kind: 'REENTRANT', token: '1', millis: 0 };
                model.acquired(alpha, { ...held, at: 1000 });
                model.acquired(alpha, { ...held, token: '2', at: 3000 });
                model.board(alpha, { at: 2000, redis: true, held: [], waiting: [] });
                return model.heldBy(alpha).map(hold => hold.token).join(' ');
                """, "2"),
                // The first lease of a hold that a release has granted is shorter than the others.
                arguments("assumedLeaseIsOverWhenAnotherInstanceGetsTheLock", """
                const hold = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 6001), millis: 0 };
                model.acquired(alpha, { ...hold, at: now - 6000 });
                model.become(alpha, 'paused', now - 5900);
                model.acquired(bravo, { ...hold, token: drawn(now - 3001), at: now - 3000 });
                model.lost(alpha, { ...hold, at: now - 1000, cause: 'UNCONFIRMED', text: 'paused' });
                model.become(alpha, 'running', now - 1000);
                model.pass(now);
                return model.overlaps.size;
                """, "0"),
                // On a busy machine, an event may come seconds after what it tells.
                arguments("lateEventIsNoOverlap", """
                const hold = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 6000) };
                model.acquired(alpha, { ...hold, at: now - 4000, millis: 0 });
                model.released(alpha, { ...hold, at: now - 2500, millis: 1900 });
                model.acquired(bravo, { ...hold, token: drawn(now - 4090), at: now - 4050, millis: 0 });
                model.pass(now);
                return model.overlaps.size;
                """, "0"),
                arguments("grantWhileTheHolderWorksIsAnOverlap", """
                const hold = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 6000) };
                model.acquired(alpha, { ...hold, at: now - 6000, millis: 0 });
                model.released(alpha, { ...hold, at: now - 4000, millis: 2000 });
                model.acquired(bravo, { ...hold, token: drawn(now - 4100), at: now - 3000, millis: 0 });
                model.pass(now);
                return [...model.overlaps.values()].join();
                """, "alpha and bravo held x together for 100 ms."),
                arguments("lossOfARunningHolderIsAnOverlap", """
                const hold = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 6000), millis: 0 };
                model.acquired(alpha, { ...hold, at: now - 6000 });
                model.acquired(bravo, { ...hold, token: drawn(now - 4000), at: now - 4000 });
                model.lost(alpha, { ...hold, at: now - 3000, cause: 'GONE', text: 'gone' });
                model.pass(now);
                return [...model.overlaps.values()].join();
                """, "alpha and bravo held x together for 1000 ms."),
                // A page that is loaded after a pause hears of the loss, and not of the pause.
                arguments("lossOfAPausedHolderIsNoOverlapAfterALoad", """
                const hold = { lock: 'x', kind: 'REENTRANT', token: drawn(now - 9000), millis: 0 };
                model.acquired(alpha, { ...hold, at: now - 9000 });
                model.acquired(bravo, { ...hold, token: drawn(now - 5000), at: now - 5000 });
                model.lost(alpha, { ...hold, at: now - 3000, cause: 'UNCONFIRMED', text: 'stood still' });
                model.pass(now);
                return model.overlaps.size;
                """, "0"),
                // The events of two instances arrive independently of each other.
                arguments("lockHasOneHolderWhenTheReleaseBeforeArrivesLate", """
                const hold = { lock: 'x', kind: 'REENTRANT', millis: 0 };
                model.acquired(alpha, { ...hold, token: drawn(now - 600), at: now - 600 });
                model.acquired(bravo, { ...hold, token: drawn(now - 100), at: now - 100 });
                const names = () => model.instances.map(each => model.heldBy(each).length).join(' ');
                const before = names();
                model.released(bravo, { ...hold, token: drawn(now - 100), at: now, millis: 100 });
                return before + ', ' + names();
                """, "0 1, 0 0"),
                arguments("takeoverFromAKilledHolderIsTold", """
                const hold = { lock: 'x', kind: 'REENTRANT', millis: 0 };
                model.acquired(alpha, { ...hold, token: drawn(now - 6000), at: now - 6000 });
                model.become(alpha, 'gone', now - 5500);
                model.pass(now - 1000);
                model.acquired(bravo, { ...hold, token: drawn(now - 1900), at: now - 1900 });
                return model.news.map(each => each.text).filter(each => each.includes('took over')).join();
                """, "bravo took over x, which alpha held."),
                arguments("tokensAreNumberedInTheirOrder", """
                const hold = { lock: 'x', kind: 'REENTRANT', millis: 0, at: now };
                const [first, second, third] = [now - 3, now - 2, now - 1].map(drawn);
                for (const token of [third, first, second]) model.acquired(alpha, { ...hold, token });
                return [first, second, third].map(token => model.number('x', token)).join(' ');
                """, "1 2 3"),
                arguments("tokensAreCountedSinceTheFirstOneAndNotSinceTheLoad", """
                const hold = { lock: 'x', kind: 'REENTRANT', millis: 0, at: now };
                const [first, second, third, fourth] = [now - 4, now - 3, now - 2, now - 1].map(drawn);
                for (const token of [first, third, fourth]) model.acquired(alpha, { ...hold, token });
                model.known([{ lock: 'x', before: 40, tokens: [first, second, third] }]);
                return [first, second, third, fourth].map(token => model.number('x', token)).join(' ');
                """, "41 42 43 44"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    @Order(6)
    void modelKnowsWhoHoldsALock(String story, String script, String expected) {
        assertThat(browser().runAsync(TWO_RUNNING + script)).hasToString(expected);
    }

    /** The rows are drawn with the cards: those that are newer may name another holder. */
    @Test
    @Order(8)
    void rowsAndCardsShowOneMoment() throws Exception {
        Page shown = browser();
        assertThat(shown.awaits("return window.model?.acquisitions >= 5", SOON)).isTrue();
        String found = String.valueOf(shown.runAsync(ONE_MOMENT));
        assertThat(found).isEmpty();
    }

    @Test
    @Order(8)
    void namesOfMarksDoNotCoverEachOther() throws Exception {
        Page shown = browser();
        assertThat(shown.awaits("return window.model?.acquisitions >= 1", SOON)).isTrue();
        shown.run(NEAR_MARKS);
        assertThat(shown.awaits("return document.querySelectorAll('.mark-name').length === 6", SOON))
                .isTrue();
        String covered = String.valueOf(shown.runAsync(COVERED_NAMES));
        shown.run("model.marks = []");
        assertThat(covered).isEqualTo("3 names, 0 covered");
    }

    @Test
    @Order(8)
    void pageKnowsTheLastMinuteAfterALoad() throws Exception {
        Page shown = browser();
        assertThat(shown.awaits("return window.model?.acquisitions >= 5", SOON)).isTrue();
        shown.reload();
        assertThat(shown.awaits("return window.model?.acquisitions >= 5", Duration.ofSeconds(3)))
                .isTrue();
    }

    @Test
    @Order(9)
    void buttonsWorkAgainAfterTheLauncherWasSilent() throws Exception {
        Page shown = browser();
        shown.run("""
                window.realFetch = window.fetch;
                window.fetch = url => String(url).endsWith('/state') ? Promise.reject(new Error('refused')) : window.realFetch(url);
                """);
        assertThat(shown.shows("#launcher-silent", "does not answer", SOON)).isTrue();
        assertThat(shown.isEnabled("[data-instance=alpha] [data-act=kill]")).isFalse();
        assertThat(shown.text("#alone")).isEmpty();
        shown.run("window.fetch = window.realFetch");
        assertThat(shown.shows("#news", "The launcher answers again", SOON)).isTrue();
        assertThat(shown.awaits(
                        "return !document.querySelector('[data-instance=alpha] [data-act=kill]').disabled", SOON))
                .isTrue();
    }

    @Test
    @Order(10)
    void eachTickRanOnce() throws Exception {
        // Three whole ticks. The reports of the first and the last one may come late.
        long first = (started / PERIOD + 1) * PERIOD;
        long end = first + 3 * PERIOD;
        for (EventFeed each : fleet.feeds().values()) {
            assertThat(each.await(event -> event.at() > end, SOON)).isTrue();
        }
        String reports = fleet.get(fleet.url("alpha") + "/stock/reports");
        List<Instant> written = REPORTED.matcher(reports)
                .results()
                .map(report -> Instant.parse(report.group(1)))
                .filter(at -> at.toEpochMilli() >= first && at.toEpochMilli() < end)
                .toList();
        assertThat(written).as(reports).hasSizeBetween(2, 4);
    }

    @Test
    @Order(11)
    void otherSitesPagesReachNeitherLauncherNorInstances() throws Exception {
        String kill = fleet.control("/instances/alpha/kill");
        assertThat(fleet.post(kill, "Origin", "http://evil.example")).isEqualTo(403);
        assertThat(fleet.post(fleet.control("/instances/nobody/kill"))).isEqualTo(404);
        String count = fleet.url("bravo") + "/stock/lamps/count?time=0s";
        assertThat(fleet.post(count, "Origin", "http://evil.example")).isEqualTo(403);
        for (String server : List.of(fleet.page(), fleet.url("bravo"))) {
            String rebound = server.replace("127.0.0.1", "rebound.example");
            assertThat(fleet.answerTo(server, rebound.substring("http://".length())))
                    .as(server)
                    .startsWith("HTTP/1.1 403");
            assertThat(fleet.answerTo(server, server.substring("http://".length())))
                    .as(server)
                    .startsWith("HTTP/1.1 200")
                    .containsIgnoringCase("frame-ancestors 'none'")
                    .containsIgnoringCase("X-Content-Type-Options: nosniff");
        }
    }

    @Test
    @Order(12)
    void everythingListensOnTheLoopbackInterfaceOnly() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "Only Linux lists its sockets in /proc");
        assertThat(ListeningSockets.of(fleet.processes())).isNotEmpty().allMatch(ListeningSockets::isLoopback);
    }
}
