package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a script's header says of its keys and arguments is what the script uses. */
class ScriptHeaderTest {

    private static final Path SCRIPTS = Path.of("src/main/resources/dev/holdfast/lock/redis/lua");
    private static final Pattern NUMBERED = Pattern.compile("(?:KEYS|ARGV)\\[\\d+]");

    static Stream<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void headerListsWhatTheScriptUses(Path script) throws IOException {
        assertThat(numbered(lines(script, false))).isEqualTo(numbered(lines(script, true)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void headerSaysThePurposeAndTheAnswer(Path script) throws IOException {
        assertThat(lines(script, true)).startsWith("-- ").contains("KEYS[").contains("-- returns ");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void protocolPageNamesTheScript(Path script) throws IOException {
        String name = script.getFileName().toString().replace(".lua", "");

        assertThat(Files.readString(Path.of("../docs/protocol.md"))).contains("| `" + name + "` |");
    }

    private static String lines(Path script, boolean comments) throws IOException {
        return Files.readAllLines(script).stream()
                .filter(line -> line.startsWith("--") == comments)
                .collect(Collectors.joining("\n"));
    }

    private static Set<String> numbered(String text) {
        return NUMBERED.matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
