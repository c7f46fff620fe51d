package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * What the fleet shows when an instance is paused or killed, a lock is deleted, or Redis stops, after all that {@link FleetAtWork} shows. The last test
 * presses Ctrl-C.
 */
@OneAtATime
@Nightly(inEachBuild = "ShopTest, one instance over HTTP. The page is shown at night only")
class FleetTest extends FleetAtWork {

    /** Longer than a customer's. */
    private static final String LONG_HOLD = """
            return [...model.holds.values()].some(hold => hold.lock === 'stock:lamps' && hold.instance.name === '%s'
                && hold.to === null && Date.now() - hold.from > 1500)""";

    private static final String OVERLAP_SINCE =
            "return model.spans.some(span => span.lock === 'stock:lamps' && span.from >= %d)";

    private static final String REFUSED_SINCE =
            "return model.writes.some(write => !write.accepted && write.instance.name === 'bravo' && write.at >= %d)";

    private static final String CUT_OFF = """
            return [...document.querySelectorAll('#writes li, #story .outcome')]
                .filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent);""";

    /** A token of the page, and its number. */
    private static final String NUMBERED_TOKEN = """
            const token = [...model.holds.values()].find(hold => hold.lock === 'order:1').token;
            return token + ' ' + model.number('order:1', token);""";

    private static final String HAS_ITS_NUMBER = """
            const [token, number] = '%s'.split(' ');
            return window.model?.number('order:1', token) === Number(number);""";

    /** What the cells of the strip are, the newest first. */
    private static final String TICKS =
            "[...document.querySelectorAll('#jobs tr:has(td) .tick')].map(cell => cell.classList[1])";

    private static final String CELLS_OF_ANOTHER_COLUMN = """
            return [...document.querySelectorAll('.locks tbody tr')].flatMap(row => [...row.cells].filter((cell, n) =>
                cell.dataset.column !== row.closest('table').querySelectorAll('th')[n]?.textContent)).length""";

    /** Words that begin on one line and end on another. */
    private static final String BROKEN_WORDS = """
            const broken = [];
            const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
              for (const word of walk.currentNode.data.matchAll(/[\\w:.-]+/g)) {
                const range = document.createRange();
                range.setStart(walk.currentNode, word.index);
                range.setEnd(walk.currentNode, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map(rect => rect.top)).size > 1) broken.push(word[0]);
              }
            }
            return broken;""";

    @Test
    @Order(21)
    void locksOfAKilledInstanceMoveOnWhenItsLeaseEnds() throws Exception {
        if (page != null) {
            Film.freeze(page, "sample");
            // As for somebody who comes now, and sees nothing of the film.
            Film.letAMinutePass();
            page.complaints();
        }
        countLamps("alpha", "60s");
        if (page != null) {
            page.watchFor("[data-instance=alpha]", "stock:lamps in ");
        }
        press("alpha", "kill");
        long killed = System.currentTimeMillis();
        if (page != null) {
            assertThat(page.awaits("return window.watched", SOON)).isTrue();
            Film.picture(page, "sample-killed");
        }
        fleet.postLater(fleet.url("charlie") + "/stock/lamps/count?time=2s");
        assertThat(fleet.feeds()
                        .get("charlie")
                        .await(event -> event.is("acquired", Trouble.LOCK) && event.at() > killed, SOON))
                .isTrue();
        if (page != null) {
            assertThat(page.shows("#news", "took over stock:lamps, which alpha held", SOON))
                    .isTrue();
            assertThat(page.shows("[data-instance=alpha]", "gone", SOON)).isTrue();
            assertThat(page.complaints()).allMatch(each -> each.contains(fleet.url("alpha")));
        }
    }

    @Test
    @Order(22)
    void killedInstanceStartsAgain() throws Exception {
        Page shown = browser();
        shown.press("alpha", "start");
        assertThat(shown.shows("[data-instance=alpha]", "starting", SOON)).isTrue();
        assertThat(shown.shows("[data-instance=alpha]", "running", SOON)).isTrue();
        shown.complaints(); // Of the instance that was killed.
    }

    @Test
    @Order(23)
    void staleWriteOfAPausedInstanceIsRefused() throws Exception {
        EventFeed charlie = fleet.feeds().get("charlie");
        boolean refused = false;
        // Where the launcher stands still, it may pause an instance that is done. Then once more.
        for (int attempt = 0; attempt < 4 && !refused; attempt++) {
            press("charlie", "pause");
            refused = charlie.await(
                    event -> event.type().equals("write")
                            && !event.data().path("accepted").asBoolean(),
                    SOON.dividedBy(2));
        }
        assertThat(refused).isTrue();
        if (page != null) {
            assertThat(page.shows("#writes", "refused, after ", SOON)).isTrue();
            assertThat(page.awaits("return parseInt(document.getElementById('refused').textContent) > 0", SOON))
                    .isTrue();
            assertThat(page.shows("#news", "charlie continues", SOON)).isTrue();
            assertThat(page.run(CUT_OFF)).as("texts that are cut off").isEqualTo(List.of());
            Film.picture(page, "sample-frozen");
            assertThat(page.complaints()).isEmpty();
        }
    }

    @Test
    @Order(27)
    void pageSurvivesTheFirstInstanceAndShowsHowItStarts() throws Exception {
        Page shown = browser();
        Object numbered = shown.run(NUMBERED_TOKEN);
        shown.press("alpha", "kill");
        assertThat(shown.shows("[data-instance=alpha]", "gone", SOON)).isTrue();
        shown.reload();
        assertThat(shown.shows("[data-instance=alpha]", "gone", SOON)).isTrue();
        // Nobody repeats what alpha has acquired, and it counts all the same.
        assertThat(shown.awaits(HAS_ITS_NUMBER.formatted(numbered), SOON))
                .as("the number of token %s", numbered)
                .isTrue();
        assertThat(shown.shows("#acquisitions", "1", SOON)).isTrue();
        shown.press("alpha", "start");
        assertThat(shown.shows("[data-instance=alpha]", "starting", SOON)).isTrue();
        assertThat(shown.shows("[data-instance=alpha]", "running", SOON)).isTrue();
    }

    @Test
    @Order(24)
    void laterHoldersHaveHigherTokens() throws Exception {
        // Charlie was never killed, so it has heard of every kind of customer after a while.
        for (String lock : List.of("order:1", "packing", "courier")) {
            assertThat(fleet.feeds().get("charlie").await(event -> event.is("acquired", lock), SOON))
                    .as(lock)
                    .isTrue();
        }
        for (String lock : List.of("order:1", "packing", "courier", Trouble.LOCK, "stock-report")) {
            // Between instances there is no order: one that was paused reports late what it acquired before.
            for (EventFeed feed : fleet.feeds().values()) {
                assertThat(tokens(feed.events("acquired", lock))).as(lock).isSorted();
            }
            assertThat(tokens(fleet.heard("acquired", lock)))
                    .as(lock)
                    .isNotEmpty()
                    .doesNotHaveDuplicates();
        }
    }

    private static List<Long> tokens(List<EventFeed.Event> events) {
        return events.stream().map(EventFeed.Event::token).toList();
    }

    @Test
    @Order(26)
    void overlapTurnsTheStripRed() throws Exception {
        Page shown = browser();
        // Redis forgets the lock, and the next caller gets it. The holder learns of its loss at its next renewal. Where
        // that comes first, it is done again.
        boolean overlap = false;
        for (int attempt = 0; attempt < 10 && !overlap; attempt++) {
            countLamps("bravo", "6s");
            long forgotten = System.currentTimeMillis();
            fleet.redis("DEL shop:stock:lamps");
            fleet.postLater(fleet.url("charlie") + "/stock/lamps/count?time=1s");
            // The write of a holder that Redis has forgotten is refused, whatever else happens.
            assertThat(shown.awaits(REFUSED_SINCE.formatted(forgotten), SOON)).isTrue();
            overlap = shown.awaits(OVERLAP_SINCE.formatted(forgotten), Duration.ofSeconds(3));
        }
        assertThat(overlap).isTrue();
        assertThat(shown.text("#overlaps")).doesNotStartWith("0");
        assertThat(shown.count("[data-lock='stock:lamps'] .both")).isPositive();
        assertThat(shown.shows("#strip[data-broken=true]", "overlap", SOON)).isTrue();
        assertThat(shown.shows("#news", "OVERLAP", SOON)).isTrue();
        assertThat(shown.accessibilityProblems()).isEmpty();
        Film.picture(shown, "sample-overlap");
    }

    @Test
    @Order(25)
    void stoppedRedisIsUnavailableAndNotBusy() throws Exception {
        assertThat(fleet.post(fleet.control("/redis/stop"))).isEqualTo(200);
        long down = System.currentTimeMillis();
        if (page != null) {
            assertThat(page.shows("#redis-state", "stopped", SOON)).isTrue();
            assertThat(page.shows("#news", "is unavailable, because Redis cannot be asked", SOON))
                    .isTrue();
            assertThat(page.shows("[data-lock='packing'] .row-state", "unknown", SOON))
                    .isTrue();
            assertThat(page.shows("[data-instance=bravo] .holding", "unknown", SOON))
                    .isTrue();
            Film.picture(page, "sample-redis");
        }
        assertThat(fleet.post(fleet.control("/redis/start"))).isEqualTo(200);
        assertThat(fleet.feeds()
                        .get("bravo")
                        .await(event -> event.type().equals("acquired") && event.at() > down, SOON))
                .isTrue();
        if (page != null) {
            assertThat(page.shows("#news", "Redis answers again", SOON)).isTrue();
        }
    }

    @Test
    @Order(28)
    void allLocksOfTheFleetAreOnAPageOfTheirOwn() throws Exception {
        Page shown = Page.orSkip(page);
        countLamps("bravo", "10s");
        shown.complaints(); // Of an instance that was killed, and of Redis.
        shown.visit(fleet.page() + "/locks.html");
        assertThat(shown.shows("#locks", "stock:lamps", SOON)).isTrue();
        assertThat(shown.shows("#found", " held", SOON)).isTrue();
        assertThat(shown.shows("[data-column='Held by']", "bravo", SOON)).isTrue();
        shown.width(390);
        assertThat(shown.fits(SOON)).isTrue();
        assertThat(shown.run(CELLS_OF_ANOTHER_COLUMN))
                .as("cells under the name of another column")
                .isEqualTo(0L);
        assertThat(shown.run(BROKEN_WORDS)).as("words that are broken").isEqualTo(List.of());
        assertThat(shown.complaints()).isEmpty();
        shown.width(1400);
    }

    @Test
    @Order(29)
    void stripOfAJobShowsItsRunsAndIsRedWhereOneIsMissing() throws Exception {
        Page shown = browser();
        shown.visit(fleet.page() + "/locks.html");
        assertThat(shown.awaits("return " + TICKS + ".filter(kind => kind === 'succeeded').length > 1", SOON))
                .isTrue();
        // Somebody else has the lock of the job, so nobody begins its ticks.
        fleet.redis("HSET shop:stock-report other:1 1");
        try {
            assertThat(shown.shows("#jobs .bad", "overdue since", SOON)).isTrue();
        } finally {
            fleet.redis("DEL shop:stock-report");
        }
        // The newest comes first.
        assertThat(shown.awaits("return /^(succeeded )+missed succeeded/.test(" + TICKS + ".join(' '))", SOON))
                .isTrue();
        assertThat(shown.text("#jobs tr")).contains("stock-report", "well");
        List<Integer> missed = color(shown, "missed", "borderTopColor");
        assertThat(missed.get(0)).as("red").isGreaterThan(missed.get(1) + 50).isGreaterThan(missed.get(2) + 50);
        List<Integer> ran = color(shown, "succeeded", "backgroundColor");
        assertThat(ran.get(1)).as("green").isGreaterThan(ran.get(0)).isGreaterThan(ran.get(2));
        assertThat(shown.run("return document.querySelector('#jobs .missed').title"))
                .asString()
                .endsWith(", missed, busy");
        assertThat(shown.accessibilityProblems()).isEmpty();
        Film.picture(shown, "sample-jobs");
    }

    private static List<Integer> color(Page shown, String kind, String property) {
        return Pattern.compile("\\d+")
                .matcher((String) shown.run(
                        "return getComputedStyle(document.querySelector('#jobs .' + arguments[0]))" + "[arguments[1]]",
                        kind,
                        property))
                .results()
                .limit(3)
                .map(number -> Integer.valueOf(number.group()))
                .toList();
    }

    @Test
    @Order(30)
    void ctrlCLeavesNothing() throws Exception {
        List<ProcessHandle> processes = fleet.children();
        // One caller works and another one waits for it. Neither may delay the end.
        fleet.postLater(fleet.url("bravo") + "/stock/lamps/count?time=60s");
        fleet.postLater(fleet.url("charlie") + "/stock/lamps/count?time=60s");
        assertThat(processes).hasSizeGreaterThanOrEqualTo(3);
        assertThat(fleet.pressCtrlC()).isTrue();
        for (ProcessHandle each : processes) {
            each.onExit().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(fleet.leftFiles()).isFalse();
    }

    /** Returns when the instance holds the lock, which may be busy for longer than the instance waits. */
    private static void countLamps(String instance, String time) throws Exception {
        long asked = System.currentTimeMillis();
        boolean holds = false;
        for (int attempt = 0; attempt < 6 && !holds; attempt++) {
            fleet.postLater(fleet.url(instance) + "/stock/lamps/count?time=" + time);
            holds = page != null
                    ? page.awaits(LONG_HOLD.formatted(instance), SOON.dividedBy(4))
                    : fleet.feeds()
                            .get(instance)
                            .await(
                                    event -> event.is("acquired", Trouble.LOCK) && event.at() >= asked,
                                    SOON.dividedBy(4));
        }
        assertThat(holds).isTrue();
    }

    private static void press(String instance, String what) throws Exception {
        if (page != null) {
            page.press(instance, what);
        } else {
            fleet.postLater(fleet.control("/instances/" + instance + "/" + what));
        }
    }
}
