package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the index of log lines and exceptions with the sources, in both directions. */
class MessagesTest {

    private static final List<String> MODULES =
            List.of("lock-core", "lock-spring-boot-starter", "adapters/lock-fencing", "lock-test");

    /** What this module throws, the test that called it sees. */
    private static final String LOCK_TEST = "lock-test/";

    private static final Pattern LINE = Pattern.compile("(?m)^\\| (`(?!\\w+Exception`)[^|]+`) \\|");
    private static final Pattern EXCEPTION = Pattern.compile("(?m)^\\| `(\\w+Exception)` \\| [^`]");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    /** A call that may write a line, up to its end. {@code reaction.warn} gets the reason for a line. */
    private static final Pattern STATEMENT = Pattern.compile(
            "(?s)(?<!reaction\\.)\\b(?:LOG\\.log|warn|info|error)\\((?:[^\";]|\"(?:[^\"\\\\]|\\\\.)*\")*;");

    /** A row of the exceptions that are not Holdfast's own: the type, and fixed parts of texts. */
    private static final Pattern OTHER = Pattern.compile("(?m)^\\| `(\\w+Exception)` \\| (`[^|]+`) \\| ");
    /** The creation of such an exception, up to the end of its statement. */
    private static final Pattern CREATION = Pattern.compile("(?s)\\bnew ((?:Illegal(?:Argument|State|MonitorState)"
            + "|UnsupportedOperation|CannotAcquireLock|OptimisticLockingFailure)Exception)"
            + "\\(((?:[^\";]|\"(?:[^\"\\\\]|\\\\.)*\")*?);");

    private static final int SHORTEST = 9;

    private static final Page PAGE = Page.of("docs/messages.md");

    /** The fixed parts of each line of the page. */
    private static List<List<String>> lines() {
        return LINE.matcher(PAGE.text())
                .results()
                .map(row -> row.group(1).replace("`, `", "…").replace("`", ""))
                .map(line -> Stream.of(line.split("…"))
                        .filter(part -> part.length() > 3)
                        .toList())
                .toList();
    }

    private static List<Page> sources() {
        return MODULES.stream()
                .flatMap(module -> Page.files(module + "/src/main/java", Integer.MAX_VALUE))
                .filter(file -> file.endsWith(".java"))
                .map(Page::of)
                .filter(file ->
                        !file.toString().startsWith(LOCK_TEST) || file.text().contains(".warn("))
                .toList();
    }

    /** All text that a piece of a source can write: adjacent literals are one. */
    private static String written(String source) {
        return source.replaceAll("\"\\s*\\+\\s*\"", "").replace("''", "'");
    }

    @Test
    void everyLineOfThePageIsWrittenSomewhere() {
        List<String> sources =
                sources().stream().map(source -> written(source.text())).toList();

        assertThat(lines())
                .hasSizeGreaterThan(30)
                .allSatisfy(parts -> assertThat(parts)
                        .isNotEmpty()
                        .allSatisfy(part -> assertThat(
                                        sources.stream().anyMatch(source -> source.contains(part.strip())))
                                .as(part)
                                .isTrue()));
    }

    @Test
    void everyLogLineIsOnThePage() {
        List<String> parts = lines().stream()
                .flatMap(List::stream)
                .filter(part -> part.length() >= SHORTEST)
                .toList();

        for (Page source : sources()) {
            STATEMENT
                    .matcher(source.text())
                    .results()
                    .map(MatchResult::group)
                    .filter(statement -> !statement.contains("Level.DEBUG"))
                    .map(MessagesTest::written)
                    .filter(statement -> LITERAL.matcher(statement)
                            .results()
                            .anyMatch(text -> text.group(1).length() >= SHORTEST))
                    .forEach(statement -> assertThat(parts)
                            .as(source + ": " + statement)
                            .anyMatch(part -> statement.contains(part.strip())));
        }
    }

    @Test
    void everyPublicExceptionIsOnThePage() {
        List<String> listed = EXCEPTION
                .matcher(PAGE.text())
                .results()
                .map(row -> row.group(1))
                .toList();
        List<String> declared = sources().stream()
                .filter(source -> !source.toString().contains("/internal/"))
                .map(Page::name)
                .filter(type -> type.endsWith("Exception"))
                .toList();

        assertThat(listed).containsExactlyInAnyOrderElementsOf(declared);
    }

    @Test
    void everyTextOfAnotherExceptionIsOnThePage() {
        Map<String, List<String>> listed = OTHER.matcher(PAGE.text())
                .results()
                .collect(Collectors.groupingBy(
                        row -> row.group(1), Collectors.flatMapping(row -> parts(row.group(2)), Collectors.toList())));
        List<String> written =
                sources().stream().map(source -> written(source.text())).toList();
        assertThat(listed.values())
                .isNotEmpty()
                .allSatisfy(parts -> assertThat(parts)
                        .allSatisfy(part -> assertThat(written).as(part).anyMatch(source -> source.contains(part))));

        List<String> missing = sources().stream()
                .flatMap(source -> CREATION.matcher(written(source.text())).results())
                .filter(creation -> LITERAL.matcher(creation.group(2))
                        .results()
                        .anyMatch(text -> text.group(1).length() >= SHORTEST))
                .filter(creation -> listed.values().stream()
                        .flatMap(List::stream)
                        .noneMatch(part -> creation.group(2).contains(part)))
                .map(creation -> creation.group(1) + ": " + creation.group(2).replaceAll("\\s+", " "))
                .toList();
        assertThat(missing).isEmpty();
    }

    private static Stream<String> parts(String texts) {
        return Stream.of(texts.replace("`, `", "…").replace("`", "").split("…")).filter(part -> part.length() > 6);
    }
}
