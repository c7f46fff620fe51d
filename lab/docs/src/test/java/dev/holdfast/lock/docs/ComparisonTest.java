package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the README says of other libraries is what the comparison says, and each cell of that has its source. */
class ComparisonTest {

    private static final Page PAGE = Page.of("docs/comparison.md");
    private static final String SOURCES = "## Where it is written";

    /** The column of Holdfast comes first, and needs no source here. */
    private static final int FIRST_PEER = 1;

    /** The cells of each row, by the row's name. */
    private static Map<String, List<String>> rows(String text, String firstHeading) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        text.lines()
                .dropWhile(line -> !line.startsWith("| | " + firstHeading))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .forEach(line -> {
                    List<String> cells = new ArrayList<>(Arrays.asList(line.split("\\|", -1)));
                    cells.replaceAll(String::strip);
                    rows.put(cells.get(1), cells.subList(2, cells.size() - 1));
                });
        assertThat(rows).isNotEmpty();
        return rows;
    }

    private static List<String> words(String cell) {
        return Pattern.compile("[\\w-]+")
                .matcher(cell)
                .results()
                .map(word -> word.group())
                .toList();
    }

    @Test
    void readmeSaysNothingElseThanTheComparison() {
        Map<String, List<String>> all = rows(PAGE.text(), "Holdfast");

        rows(Page.of("README.md").text(), "Holdfast").forEach((row, cells) -> {
            assertThat(all).containsKey(row);
            for (int i = 0; i < cells.size(); i++) {
                assertThat(words(all.get(row).get(i)))
                        .as(row + ": " + cells.get(i))
                        .containsSubsequence(words(cells.get(i)));
            }
        });
    }

    @Test
    void everyCellOfAPeerHasASource() {
        Map<String, List<String>> sources =
                rows(PAGE.text().substring(PAGE.text().indexOf(SOURCES)), "Redisson");

        assertThat(sources.keySet())
                .containsExactlyElementsOf(rows(PAGE.text(), "Holdfast").keySet());
        rows(PAGE.text(), "Holdfast")
                .forEach((row, cells) -> assertThat(sources.get(row))
                        .as(row)
                        .hasSize(cells.size() - FIRST_PEER)
                        .doesNotContain(""));
    }

    @Test
    void versionsAreThoseOfTheTests() {
        assertThat(PAGE.text())
                .contains("Redisson " + version("pom.xml", "redisson"))
                .contains("ShedLock " + version("pom.xml", "shedlock"))
                .contains("Spring Integration " + version("pom.xml", "spring-integration-redis"))
                .contains("lock4j " + version("lab/trials/pom.xml", "lock4j"));
    }

    private static String version(String pom, String library) {
        Matcher version = Pattern.compile("<" + library + "\\.version>([^<]+)<")
                .matcher(Page.of(pom).text());
        assertThat(version.find()).isTrue();
        return version.group(1);
    }
}
