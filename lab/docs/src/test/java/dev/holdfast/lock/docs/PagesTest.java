package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PagesTest {

    private static final int LONGEST = 250;
    private static final int MOST_WORDS_FOR_USERS = 1_850;
    private static final int MOST_WORDS_OF_THE_MANUAL = 33_000;
    private static final int MOST_FIGURES_OF_1000_WORDS = 40;

    /** Not the numbers of steps, versions with three parts, or parts of names. */
    private static final Pattern FIGURE = Pattern.compile("(?m)(?<![\\w.,])(?!\\d+\\. )\\d+([.,]\\d+)?(?![\\w.,]*\\w)");

    private static final Pattern WORD = Pattern.compile("\\w+");

    /** The page that lists versions. */
    private static final Set<String> WITH_FIGURES = Set.of("docs/compatibility.md");

    private static final Pattern TEST = Pattern.compile("`((?!Abstract)[A-Z]\\w*(?:Test|Contract))(?:\\.(\\w+))?`");
    private static final Map<String, String> TEST_CLASSES = testClasses();

    private static final int MOST_WORDS_OF_A_DECISION = 120;

    private static final Pattern DECISION = Pattern.compile("(?m)^## (\\d+\\. .*)\n((?:(?!## ).*\n?)*)");

    private static final Pattern SECTION = Pattern.compile(
            "runbook_url: https://github.com/holdfast-dev/holdfast/blob/main/(docs/[\\w-]+\\.md)#(\\S+)");

    private static boolean isForUsers(Page page) {
        return page.toString().matches("README.md|docs/[^/]+");
    }

    /** The sources by the name of their class. */
    private static Map<String, String> testClasses() {
        return Page.files("", Integer.MAX_VALUE)
                .filter(file -> file.matches(".*(Test|Contract)\\.(java|kt)"))
                .map(Page::of)
                .collect(Collectors.toMap(Page::name, Page::text, String::concat));
    }

    static List<Page> pages() {
        return Page.all();
    }

    @Test
    void readmeFitsInto120Lines() {
        assertThat(Page.of("README.md").lines()).isLessThanOrEqualTo(120);
    }

    /** Each is read from its first to its last word, or not at all. */
    @ParameterizedTest
    @CsvSource({"README.md, 900", "CONTRIBUTING.md, 1200"})
    void firstPagesAreShort(String page, int words) {
        assertThat(Page.of(page).words()).as("words of " + page).isLessThanOrEqualTo(words);
    }

    @Test
    void cellsOfTheReadmeThatSayWhatHappensAreShort() {
        assertThat(Page.of("README.md")
                        .prose()
                        .replaceAll("\\]\\([^)]*\\)", "]")
                        .lines()
                        .dropWhile(line -> !line.equals("## What happens when"))
                        .filter(line -> line.startsWith("| ") && !line.equals("| | |"))
                        .limit(7))
                .hasSize(7)
                .allSatisfy(row ->
                        assertThat(row.replace("|", "").strip().split("\\s+")).hasSizeLessThanOrEqualTo(20));
    }

    /** Who reads it should not need to scroll sideways for what matters. */
    @Test
    void codeOfTheReadmeIsNarrow() {
        assertThat(Page.of("README.md").blocks())
                .flatMap(block -> block.text().lines().toList())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(110));
    }

    /** A sentence that is longer is read twice. */
    @Test
    void sentencesOfTheReadmeAreShort() {
        assertThat(Page.of("README.md")
                        .prose()
                        .replaceAll("\\]\\([^)]*\\)", "]")
                        .split("(?<=[.!?:])\\s+|\\||\n"))
                .allSatisfy(sentence -> assertThat(sentence.split("\\s+")).hasSizeLessThanOrEqualTo(40));
    }

    @Test
    void readmeLeadsToTheSiteToAPlaceToAskAndSaysItsVersion() {
        String site = "https://holdfast-dev.github.io/holdfast/";
        String version = Pattern.compile("(?s)<artifactId>holdfast-parent</artifactId>\\s*<version>([^<]+)<")
                .matcher(Page.of("pom.xml").text())
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
        String top = Page.of("README.md").text().split("\n## ", 2)[0];

        assertThat(top).contains(site, "https://github.com/holdfast-dev/holdfast/discussions", "· " + version + "\n");
        assertThat(Page.of("docs/README.md").text()).contains(site);
    }

    /** A setting that runs methods without their lock stops nothing. */
    @ParameterizedTest
    @MethodSource("pages")
    void settingThatRunsWithoutALockIsNoKillSwitch(Page page) {
        if (isForUsers(page)) {
            assertThat(page.text()).doesNotContainIgnoringCase("kill switch");
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageIsNotTooLong(Page page) {
        if (isForUsers(page)) {
            assertThat(page.words()).isLessThanOrEqualTo(MOST_WORDS_FOR_USERS);
        } else if (!page.toString().equals("CHANGELOG.md")) {
            // A record that only grows.
            assertThat(page.lines()).isLessThanOrEqualTo(LONGEST);
        }
    }

    @Test
    void manualIsNotTooLong() {
        assertThat(forUsers().mapToInt(Page::words).sum()).isLessThanOrEqualTo(MOST_WORDS_OF_THE_MANUAL);
    }

    /** Words that are correct English, and too many of which read like a translation. */
    @ParameterizedTest
    @CsvSource({
        "may, 8",
        "own, 35",
        "beside, 5",
        "go(?:es)? on, 4",
        "meanwhile, 2",
        "in place of, 2",
        "at the latest, 1",
        "also (?:if|when|after|where), 1",
        "is no, 12",
        "says?, 14",
        "answers?, 14",
        "asks?, 16",
        "learns? of, 1",
        "told, 1"
    })
    void manualHasFewOf(String pattern, int most) {
        Pattern word = Pattern.compile("(?i)\\b(?:" + pattern + ")\\b");
        assertThat(forUsers().flatMap(page -> word.matcher(page.prose()).results()))
                .hasSizeLessThanOrEqualTo(most);
    }

    private static Stream<Page> forUsers() {
        return Page.all().stream().filter(PagesTest::isForUsers);
    }

    /** Measurements belong to the laboratory. A user page has the few that decide. */
    @ParameterizedTest
    @MethodSource("pages")
    void userPageHasFewFigures(Page page) {
        if (isForUsers(page) && !WITH_FIGURES.contains(page.toString())) {
            String text = page.prose().replaceAll("`[^`\\n]*`", "code").replaceAll("\\]\\([^)]*\\)", "]");
            long figures = FIGURE.matcher(text).results().count();
            long words = WORD.matcher(text).results().count();
            assertThat(1000 * figures / words)
                    .as("figures per 1,000 words in " + page)
                    .isLessThanOrEqualTo(MOST_FIGURES_OF_1000_WORDS);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Page page) {
        for (String link : page.links()) {
            if (link.startsWith("https://")) {
                continue;
            }
            assertThat(link).as(page + ": use https").doesNotStartWith("http://");
            int hash = link.indexOf('#');
            String file = hash < 0 ? link : link.substring(0, hash);
            Path target = file.isEmpty()
                    ? page.path()
                    : page.path().resolveSibling(file).normalize();
            assertThat(Files.exists(target)).as(page + " links to " + link).isTrue();
            if (hash >= 0) {
                assertThat(Page.of(target.toString()).anchors())
                        .as(page + " links to " + link)
                        .contains(link.substring(hash + 1));
            }
        }
    }

    @Test
    void everyAlertLeadsToASection() {
        String rules = Page.of("docs/prometheus-rules.yml").text();
        List<MatchResult> links = SECTION.matcher(rules).results().toList();
        assertThat(links).hasSize(rules.split("- alert:", -1).length - 1).hasSizeGreaterThan(4);
        assertThat(links)
                .allSatisfy(link -> assertThat(Page.of(link.group(1)).anchors()).contains(link.group(2)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockSaysWhatItIs(Page page) {
        assertThat(page.blocks()).extracting(Block::mark).doesNotContain("");
        long fences = page.text().lines().filter(line -> line.startsWith("```")).count();
        assertThat(page.blocks()).as("a fence that nothing closes").hasSize((int) fences / 2);
    }

    @Test
    void everyPageOfTheManualIsInAnIndex() {
        Set<Path> listed = new HashSet<>();
        for (Page index : pages().stream()
                .filter(page -> page.toString().matches("docs/(.*/)?(README|decisions)\\.md"))
                .toList()) {
            index.links()
                    .forEach(link -> listed.add(index.path()
                            .resolveSibling(link.replaceAll("#.*", ""))
                            .normalize()));
        }
        assertThat(pages())
                .filteredOn(page -> page.toString().startsWith("docs/"))
                .filteredOn(page -> !page.toString().endsWith("README.md"))
                .allSatisfy(page ->
                        assertThat(listed).as(page + " is not in an index").contains(page.path()));
    }

    /** Tests are renamed and merged often. Abstract ones belong to other libraries. */
    @ParameterizedTest
    @MethodSource("pages")
    void everyTestThatIsNamedExists(Page page) {
        TEST.matcher(page.text()).results().forEach(named -> {
            assertThat(TEST_CLASSES).as("test classes that " + page + " names").containsKey(named.group(1));
            if (named.group(2) != null) {
                assertThat(TEST_CLASSES.get(named.group(1)))
                        .as(named.group() + " of " + page)
                        .containsPattern("(void|ArchRule) " + named.group(2) + "\\b");
            }
        });
    }

    @Test
    void everyTestNamedByANightlyOneExists() {
        Pattern reason = Pattern.compile("(?s)inEachBuild =(.*?\")\\)");
        Pattern named = Pattern.compile("\\b[A-Z]\\w+Test\\b");
        assertThat(TEST_CLASSES.values().stream()
                        .flatMap(source -> reason.matcher(source).results())
                        .flatMap(nightly -> named.matcher(nightly.group(1)).results())
                        .map(MatchResult::group))
                .isNotEmpty()
                .allMatch(TEST_CLASSES::containsKey);
    }

    @Test
    void everyAttackNamesATest() {
        assertThat(Page.of("SECURITY.md")
                        .text()
                        .lines()
                        .dropWhile(line -> !line.equals("| attack | what happens | test |"))
                        .skip(2)
                        .takeWhile(line -> line.startsWith("|")))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row).containsPattern(TEST));
    }

    @Test
    void everyDecisionHasANumberOfItsOwn() {
        assertThat(decisions().stream()
                        .flatMap(page -> DECISION.matcher(page.text()).results())
                        .map(entry -> entry.group(1).replaceAll("\\..*", "")))
                .doesNotHaveDuplicates()
                .contains("1");
    }

    /** Nobody reads a longer one. */
    @Test
    void everyDecisionIsShortAndSaysItsPrice() {
        for (Page page : decisions()) {
            assertThat(DECISION.matcher(page.text()).results()).allSatisfy(entry -> {
                assertThat(entry.group(2).split("\\s+"))
                        .as("words of " + entry.group(1))
                        .hasSizeLessThanOrEqualTo(MOST_WORDS_OF_A_DECISION);
                assertThat(entry.group(2)).as(entry.group(1)).contains("\nPrice: ", "\nLook again when: ");
            });
        }
    }

    private static List<Page> decisions() {
        return pages().stream()
                .filter(page -> page.toString().startsWith("docs/contributing/decisions/"))
                .toList();
    }
}
