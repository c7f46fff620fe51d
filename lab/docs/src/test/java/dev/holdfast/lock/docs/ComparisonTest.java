package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Jars.ClassFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the README says of other libraries is what the comparison says, and each cell of that has its source: what it names is in the jar of the version,
 * and what it denies is not.
 */
class ComparisonTest {

    private static final Page PAGE = Page.of("docs/comparison.md");
    private static final Page SOURCES =
            Page.of("lab/docs/src/test/resources/dev/holdfast/lock/docs/comparison-sources.md");

    /** The column of Holdfast comes first, and needs no source here. */
    private static final int FIRST_PEER = 1;

    private static final List<String> PEERS = List.of("Redisson", "ShedLock", "Spring Integration", "lock4j");

    /** The jars of each peer, and in which of its packages locks are. Other parts of Spring Integration have meters and the like. */
    private static final Map<String, List<String>> JARS = Map.of(
            "Redisson", List.of("redisson-\\d.*"),
            "ShedLock", List.of("shedlock-.*"),
            "Spring Integration", List.of("spring-integration-.*"),
            "lock4j", List.of("lock4j-.*"));

    private static final Map<String, List<String>> PACKAGES = Map.of(
            "Redisson", List.of("org/redisson/"),
            "ShedLock", List.of("net/javacrumbs/shedlock/"),
            "Spring Integration",
                    List.of(
                            "org/springframework/integration/redis/util/RedisLockRegistry",
                            "org/springframework/integration/support/locks/"),
            "lock4j", List.of("com/baomidou/lock4j/"));

    /** Names that what a row denies would have: of a class, or of a class and its member. */
    private static final Map<String, Pattern> DENIED = Map.ofEntries(
            Map.entry("annotation", Pattern.compile("(?i)@\\w*lock\\w*")),
            Map.entry("a call of an annotated method through `this`", Pattern.compile("(?i)@\\w*lock\\w*")),
            Map.entry(
                    "holder detects a loss",
                    Pattern.compile(
                            "(?i)(SimpleLock|LockInfo|LockTemplate|RLock|RObject)\\.\\w*(listener|onLost|onLoss|lost)\\w*")),
            Map.entry("fencing token", Pattern.compile("(?i).*fenc(ed|ing).*")),
            Map.entry(
                    "the library lets the store refuse a stale holder",
                    Pattern.compile("(?i)\\w*(fence(Table|d(By|Connection|DataSource|Entity))|staleHolder)\\w*")),
            // Redis' own replication forgets: what would help is a pause before the first grant of a new master.
            Map.entry("one holder at a time through a failover", Pattern.compile("(?i)\\w*(failoverGrace|reign)\\w*")),
            Map.entry(
                    "missed runs of jobs are found",
                    Pattern.compile("(?i)@?\\w*(missed|overdue|skipped)(Run|Tick|Task|Job)\\w*")),
            Map.entry(
                    "a check of the server that you use",
                    Pattern.compile("(?i)(Lock|Redis)?(SelfCheck|Chaos|Jepsen|FaultProxy|Verdict)\\w*")),
            Map.entry("re-entrant, fair, read/write", Pattern.compile("(?i)(reentrant|fair|readwrite)\\w*Lock\\w*")),
            Map.entry(
                    "several locks as one; a majority of servers",
                    Pattern.compile("(?i)\\w*(multi|red|quorum)lock\\w*")),
            Map.entry(
                    "minimum hold time",
                    Pattern.compile(
                            "(?i)(RLock|LockRegistry|RedisLockRegistry|LockOptions)\\.\\w*(atLeast|minHold|minimum)\\w*")),
            Map.entry("waits for replicas", Pattern.compile("\"WAIT(AOF)?\"")),
            Map.entry(
                    "meters; traces; health; endpoint",
                    Pattern.compile("(?i)\\w*(Micrometer|MeterRegistry|HealthIndicator|Endpoint|Observation)\\w*")),
            Map.entry("semaphores", Pattern.compile("(?i)\\w*semaphore\\w*")),
            Map.entry("maps, queues, rate limiters, …", Pattern.compile("(?i)R?(Map|Queue|RateLimiter|Bucket)")));

    private static final Map<String, Jars> READ = new LinkedHashMap<>();

    private static Jars jars(String peer) {
        return READ.computeIfAbsent(peer, name -> {
            try (Stream<Path> files = Files.list(Path.of("target/peers"))) {
                List<Path> jars = files.filter(file -> JARS.get(name).stream()
                                .anyMatch(each -> file.getFileName().toString().matches(each)))
                        .toList();
                assertThat(jars).as("jars of " + name).isNotEmpty();
                return Jars.of(jars);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** What a class is called in {@link #DENIED}: itself, its members, its texts. */
    private static Stream<String> names(ClassFile type) {
        String simple = type.simpleName();
        return Stream.of(
                        Stream.of(type.isAnnotation() ? "@" + simple : simple),
                        type.members().stream().map(member -> simple + "." + member),
                        type.texts().stream().map(text -> '"' + text + '"'))
                .flatMap(each -> each);
    }

    static Stream<Arguments> denials() {
        return rows(PAGE.text(), "Holdfast").entrySet().stream()
                .flatMap(row -> IntStream.range(0, PEERS.size())
                        .filter(peer -> row.getValue().get(FIRST_PEER + peer).matches("no|none|no annotation"))
                        .mapToObj(peer -> Arguments.of(row.getKey(), PEERS.get(peer))));
    }

    @ParameterizedTest
    @MethodSource("denials")
    void nothingThatACellDeniesIsInTheJar(String row, String peer) {
        assertThat(DENIED).as("names of what a row denies").containsKey(row);
        assertThat(PACKAGES.get(peer).stream()
                        .flatMap(each -> jars(peer).in(each).stream())
                        .flatMap(ComparisonTest::names)
                        .filter(name -> DENIED.get(row).matcher(name).matches()))
                .as(peer + ", " + row)
                .isEmpty();
    }

    /** Of {@code A.b}, {@code .c} and {@code D}, in the table of sources. */
    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:\\.[A-Z]\\w*)*)?(?:\\.([a-z]\\w*))?`");

    static Stream<Arguments> sources() {
        return rows(SOURCES.text(), "Redisson").entrySet().stream()
                .flatMap(row -> IntStream.range(0, PEERS.size())
                        .mapToObj(peer -> Arguments.of(
                                row.getKey(), PEERS.get(peer), row.getValue().get(peer))));
    }

    @ParameterizedTest
    @MethodSource("sources")
    void everythingThatACellNamesIsInTheJar(String row, String peer, String cell) {
        Jars jars = jars(peer);
        String type = "";
        for (Matcher named = NAMED.matcher(cell); named.find(); ) {
            type = named.group(1) == null ? type : named.group(1).replaceAll(".*\\.", "");
            String member = named.group(2);
            if (type.equals("WAIT")) {
                continue; // A command of Redis.
            }
            assertThat(jars.named(type)).as(peer + ", " + row + ": " + type).isNotEmpty();
            assertThat(member == null || jars.named(type).stream().anyMatch(each -> jars.hasMember(each, member)))
                    .as(peer + ", " + row + ": " + type + "." + member)
                    .isTrue();
        }
    }

    private static final List<String> NUMBERS =
            List.of("no", "one", "two", "three", "four", "five", "six", "seven", "eight");

    private static Map<String, List<String>> rows(String text, String firstHeading) {
        return table(text, "| | " + firstHeading);
    }

    /** The cells of each row, by the row's name. */
    private static Map<String, List<String>> table(String text, String start) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        text.lines()
                .dropWhile(line -> !line.startsWith(start))
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
    void countsOfPeersAreThoseOfTheTables() {
        int compared = rows(PAGE.text(), "Holdfast").get("stores").size()
                - FIRST_PEER
                + rows(PAGE.text(), "Locksmith").get("stores").size();
        int measured = table(Page.of("docs/sizing.md").text(), "| one thread").size() - FIRST_PEER;

        assertThat(Page.of("docs/README.md").text())
                .contains("[Comparison with " + NUMBERS.get(compared) + " other libraries](comparison.md)")
                .contains("what a lock costs, compared with " + NUMBERS.get(measured) + " other libraries");
        assertThat(Page.of("docs/sizing.md").text())
                .contains("compared with " + NUMBERS.get(measured) + " other libraries");
    }

    @Test
    void everyCellOfAPeerHasASource() {
        Map<String, List<String>> sources = rows(SOURCES.text(), "Redisson");

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
