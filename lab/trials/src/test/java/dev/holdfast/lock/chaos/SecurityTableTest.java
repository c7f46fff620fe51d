package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each row of the table of attacks in SECURITY.md names tests that exist. */
class SecurityTableTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");
    private static final Map<String, Path> SOURCES = new HashMap<>();

    static Stream<String> rows() throws IOException {
        try (Stream<Path> files = Files.find(
                ROOT,
                20,
                (file, attributes) ->
                        file.toString().endsWith("Test.java") || file.toString().endsWith("Test.kt"))) {
            files.forEach(file -> SOURCES.put(file.getFileName().toString().replaceFirst("\\.\\w+$", ""), file));
        }
        List<String> lines = Files.readAllLines(ROOT.resolve("SECURITY.md"));
        int table = lines.indexOf("| attack | what happens | test |");
        assertThat(table).as("the table").isNotNegative();
        return lines.stream().skip(table + 2L).takeWhile(line -> line.startsWith("|"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyAttackHasATest(String row) throws IOException {
        List<MatchResult> tests = TEST.matcher(row).results().toList();
        assertThat(tests).as(row).isNotEmpty();
        for (MatchResult test : tests) {
            assertThat(SOURCES).containsKey(test.group(1));
            if (test.group(2) != null) {
                assertThat(Files.readString(SOURCES.get(test.group(1)))).contains("void " + test.group(2) + "(");
            }
        }
    }
}
