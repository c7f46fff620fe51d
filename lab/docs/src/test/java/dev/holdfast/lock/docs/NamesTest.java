package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.Ordered;

/** Where a page lists all of something, the list is that of the code. */
class NamesTest {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final String REPORT = "dev.holdfast.lock.spring.boot.actuate.LocksReport";

    @Test
    void metersHaveTheKindsAndCausesOfTheCode() {
        assertThat(listed("docs/monitoring.md", "`kind` \\(([^)]*)\\)")).isEqualTo(lowerCase(LockKind.values()));
        assertThat(listed("docs/monitoring.md", "the cause of a lost lease: ([^.]*)\\."))
                .isEqualTo(lowerCase(LossCause.values()));
    }

    @Test
    void everyCauseOfALossIsExplained() {
        String page = Page.of("docs/on-call.md").text();
        for (LossCause cause : LossCause.values()) {
            assertThat(page).contains("`" + cause.description().replaceAll(" \\(.*", ""));
        }
    }

    @Test
    void annotationsHaveTheAttributesOfTheTables() {
        assertThat(rows("docs/annotation.md", "(?s)## Attributes.*?(?=\n### )"))
                .isEqualTo(attributes(DistributedLock.class));
        assertThat(rows("docs/jobs.md", "(?s)## Attributes.*?(?=\n## )")).isEqualTo(attributes(OncePerTick.class));
        assertThat(rows("docs/run-once.md", "(?s)## Attributes.*?(?=\n## )")).isEqualTo(attributes(RunOnce.class));
    }

    @Test
    void everyEventIsListed() {
        Set<String> methods = new TreeSet<>();
        for (Method method : LockListener.class.getDeclaredMethods()) {
            if (method.getName().startsWith("on") && !method.getName().equals("onEvent")) {
                methods.add(method.getName());
            }
        }
        assertThat(listed("docs/monitoring.md", "receive every `LockEvent`: (.*)"))
                .isEqualTo(methods);
    }

    @ParameterizedTest
    @CsvSource({"held, Held", "waiting, Waiting"})
    void endpointHasTheFieldsOfThePage(String list, String type) throws ClassNotFoundException {
        assertThat(listed("docs/endpoints.md", "- `" + list + "`:(.*)")).containsAll(fields(REPORT + "$" + type));
    }

    private static String source(String name) {
        return Page.of("lock-spring-boot-starter/src/main/java/dev/holdfast/lock/spring/" + name + ".java")
                .text();
    }

    @Test
    @SuppressWarnings("unchecked") // The assertions check what the example contains.
    void exampleOfHealthHasAllDetails() {
        Set<String> details =
                new TreeSet<>(found(source("boot/actuate/LockHealthIndicator"), "\\.withDetail\\(\"(\\w+)\""));
        details.addAll(found(source("pause/RecordedPauses"), "Map\\.of\\(\"(\\w+)\""));

        assertThat(details.remove("error")).as("only without an answer").isTrue();
        assertThat(((Map<String, Object>)
                                Page.of("docs/monitoring.md").example("details").get("details"))
                        .keySet())
                .containsExactlyInAnyOrderElementsOf(details);
    }

    /** Only what the starter answers for has a status of its own. */
    @Test
    void otherExceptionsThanBusyAndUnavailableAreA500() {
        String handler = Page.of("lock-spring-boot-starter/src/main/java/dev/holdfast/lock/spring/boot/web/"
                        + "LockProblemsAutoConfiguration.java")
                .text();
        Map<String, String> answered =
                Map.of("LockNotAcquiredException", "| 409 | 1 s |", "LockUnavailableException", "| 503 | 5 s |");
        List<String> rows = Page.of("docs/annotation.md")
                .text()
                .lines()
                .filter(line -> line.startsWith("|") && line.contains("Exception`"))
                .toList();

        assertThat(found(handler, "@ExceptionHandler\\(\\{([^}]*)}").get(0).split(",\\s*"))
                .extracting(type -> type.replace(".class", ""))
                .containsExactlyInAnyOrderElementsOf(answered.keySet());
        assertThat(rows)
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(row -> assertThat(row)
                        .contains(answered.entrySet().stream()
                                .filter(each -> row.contains("`" + each.getKey() + "` |"))
                                .map(Map.Entry::getValue)
                                .findFirst()
                                .orElse("| 500 | |")));
    }

    @Test
    void versionsOfTheReadmeAreAmongThoseThatWereRun() {
        String run = Page.of("docs/compatibility.md").text();
        List<String> named = found(Page.of("README.md").text(), "(?m)^- Versions: (.*) \\(\\[tested]");

        assertThat(named)
                .containsExactly("Spring Boot %s, Java %s, Redis %s and newer, Valkey %s"
                        .formatted(
                                String.join(
                                        " and ", minors(found(run, "(?m)^\\| (4[.\\d]+) \\| 7|^\\| (4[.\\d]+) \\|"))),
                                String.join(
                                        " and ",
                                        new TreeSet<>(found(run, "(?m)^\\| 4[.\\d]+ \\|[^|]*\\|[^|]*\\| (\\d+)"))),
                                minors(found(run, "(?m)^\\| Redis ([\\d.]+)")).stream()
                                        .min(String::compareTo)
                                        .orElseThrow(),
                                String.join(" and ", new TreeSet<>(found(run, "(?m)^\\| Valkey (\\d+)")))));
    }

    /** {@code InterceptionOrderTest} shows that retries are outside. */
    @Test
    void pagesPutTheLockWhereItIs() {
        assertThat(Page.of("docs/annotation.md").text())
                .contains("`Ordered.LOWEST_PRECEDENCE - " + (Ordered.LOWEST_PRECEDENCE - LockSettings.DEFAULT_ORDER)
                        + "`")
                .contains("inside security and retries")
                .contains("`@Retryable` is outside");
        assertThat(Page.of("docs/questions.md").text()).contains("`@Retryable` is outside the lock");
        assertThat(Page.of(
                                "lock-spring-boot-starter/src/main/resources/META-INF/additional-spring-configuration-metadata.json")
                        .text())
                .contains("inside of retries and security");
    }

    /** The names in the code font of a part of a page. */
    private static Set<String> listed(String page, String part) {
        List<String> parts = found(Page.of(page).text(), part);
        assertThat(parts).as(page + " has " + part).hasSize(1);
        return new TreeSet<>(found(parts.get(0), CODE.pattern()));
    }

    /** The names in the first column of a table. */
    private static Set<String> rows(String page, String part) {
        String table = Pattern.compile(part)
                .matcher(Page.of(page).text())
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow();
        Set<String> names = new TreeSet<>();
        for (String cell : found(table, "(?m)^\\| (`[^|]*) \\|")) {
            names.addAll(found(cell, CODE.pattern()));
        }
        return names;
    }

    private static List<String> found(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(each -> Stream.iterate(1, group -> group + 1)
                        .limit(each.groupCount())
                        .map(each::group)
                        .filter(group -> group != null)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static Set<String> minors(List<String> versions) {
        Set<String> minors = new TreeSet<>(Comparator.reverseOrder());
        versions.forEach(version -> minors.add(version.replaceAll("^(\\d+\\.\\d+)\\..*", "$1")));
        return minors;
    }

    private static Set<String> lowerCase(Enum<?>[] constants) {
        Set<String> names = new TreeSet<>();
        for (Enum<?> each : constants) {
            names.add(each.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        }
        return names;
    }

    private static Set<String> attributes(Class<?> annotation) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(annotation.getDeclaredMethods()).map(Method::getName).forEach(names::add);
        return names;
    }

    private static Set<String> fields(String record) throws ClassNotFoundException {
        Set<String> names = new TreeSet<>();
        Arrays.stream(Class.forName(record).getRecordComponents())
                .map(RecordComponent::getName)
                .forEach(names::add);
        return names;
    }
}
