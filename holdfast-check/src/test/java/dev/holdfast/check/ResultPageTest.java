package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a page says of a history. In each, worker 0 gets a lock, is paused from 100 ms to 1,500 ms, and worker 1 gets the lock at 1,000 ms. */
class ResultPageTest {

    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();

    private static long ms(long millis) {
        return (1_000 + millis) * 1_000_000;
    }

    private Attempt hold(int worker, long from, long heldUntil, Ending ending) {
        Attempt attempt = new Attempt(
                worker, attempts.size() + 1, Use.PLAIN, List.of("chaos-0"), 25_000_000, ms(from) - 1_000_000);
        attempt.answeredAt = ms(from);
        attempt.token = ms(from);
        attempt.heldAt = ms(heldUntil);
        attempt.ending = ending;
        attempts.add(attempt);
        return attempt;
    }

    private ResultPage page(CheckedLibrary library) {
        History history = new History(
                attempts,
                writes,
                List.of(new Outage(Outage.STOPPED, 0, ms(100), ms(1_500))),
                List.of(new Outage("stall", 0, ms(100), ms(1_501))));
        ResultPage page = new ResultPage(library, "1.2", "Redis 7 <here>", 42);
        page.add(20, new Run.Result(history, List.of("key forgotten without an expiry")), new Findings());
        return page;
    }

    static Stream<Arguments> endings() {
        return Stream.of(
                Arguments.of(Ending.RELEASED, "its holder worked on and never learned once"),
                Arguments.of(Ending.LOST, "its holder worked on and learned at its release once"),
                Arguments.of(Ending.UNKNOWN, "its holder worked on, with an unknown end once"));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void holderThatWorksOnNextToTheNextOneIsFoundGuilty(Ending ending, String how) {
        Attempt late = hold(0, 0, 1_501, ending);
        hold(1, 1_000, 1_400, Ending.RELEASED);
        hold(2, 1_450, 1_490, Ending.RELEASED);
        writes.add(new Write("chaos-0", late, late.token, ms(1_501), false));
        ResultPage page = page(CheckedLibrary.SHEDLOCK);
        assertThat(page.exitCode()).isEqualTo(CheckReport.BROKEN);
        assertThat(page.text())
                .contains("During \"process paused\" (once), a lock passed on during work once: " + how
                        + ", and its last step came up to 501 ms later.")
                .contains("1. The library has no token by which a store could refuse them.")
                .contains("Not offered: a caller tries once.")
                .contains("1: key forgotten without an expiry")
                .contains("ShedLock 1.2: two holders worked at once once, in 3 acquisitions and 1 faults.");
    }

    @Test
    void holderThatAsksBeforeItsNextStepIsNotGuilty() {
        hold(0, 0, 90, Ending.LOST).goneAt = ms(1_501);
        hold(1, 1_000, 1_400, Ending.RELEASED);
        ResultPage page = page(CheckedLibrary.REDISSON);
        assertThat(page.exitCode()).isEqualTo(CheckReport.KEPT);
        assertThat(page.text())
                .contains("a lock passed on during work once: its holder stopped in time once.")
                .contains("Redisson 1.2: two holders never worked at once, in 2 acquisitions and 1 faults."
                        + " A holder stopped once because it asked before its next step.");
    }

    @Test
    void locksThatFollowEachOtherShowNothing() {
        hold(0, 0, 90, Ending.RELEASED);
        hold(1, 91, 400, Ending.RELEASED);
        ResultPage page = page(CheckedLibrary.SPRING_INTEGRATION);
        assertThat(page.exitCode()).isEqualTo(CheckReport.KEPT);
        assertThat(page.text()).contains("Nothing of that during 1 others: process paused");
    }

    @Test
    void pauseThatIsTooShortToCostALockIsNotBlamed() {
        hold(0, 1_400, 1_700, Ending.RELEASED);
        hold(1, 1_600, 1_650, Ending.RELEASED);
        History history =
                new History(attempts, writes, List.of(new Outage(Outage.STOPPED, 0, ms(1_500), ms(1_620))), List.of());
        ResultPage page = new ResultPage(CheckedLibrary.SHEDLOCK, "", "", 1);
        page.add(20, new Run.Result(history, List.of()), new Findings());
        assertThat(page.text())
                .contains("During \"without a fault of that process\", a lock passed on during work once:")
                .contains("Nothing of that during 1 others: process paused");
    }

    @Test
    void pageWithoutALockHasNoResult() {
        assertThat(page(CheckedLibrary.REDISSON).exitCode()).isEqualTo(CheckReport.NO_RESULT);
    }

    @Test
    void pageHasAPictureOfTheOverlapAndEscapesTexts() throws Exception {
        hold(0, 0, 1_501, Ending.RELEASED);
        hold(1, 1_000, 1_400, Ending.RELEASED);
        String html = page(CheckedLibrary.SHEDLOCK).html();
        String svg = html.substring(html.indexOf("<svg"), html.indexOf("</svg>") + 6);
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                        .getElementsByTagName("title")
                        .getLength())
                .as("an overlap, two holds and a pause")
                .isEqualTo(4);
        assertThat(html)
                .contains("Redis 7 &lt;here>")
                .contains("<a href=\"https://github.com/lukas-krecan/ShedLock#behavior\">")
                .contains("--seed 42");
    }
}
