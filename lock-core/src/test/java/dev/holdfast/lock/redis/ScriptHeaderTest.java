package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a script's header says of its keys and arguments is what the script uses. */
class ScriptHeaderTest {

    private static final Path SCRIPTS = Path.of("src/main/resources/dev/holdfast/lock/internal/protocol/lua");
    private static final String HEAD = "-head";
    private static final Pattern NUMBERED = Pattern.compile("(?:KEYS|ARGV)\\[\\d+]");

    static Stream<String> files() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.map(file -> file.getFileName().toString().replace(".lua", "")).sorted().toList().stream();
        }
    }

    static Stream<String> scripts() throws IOException {
        return files().filter(name -> !name.endsWith(HEAD));
    }

    /** A script's header tells of its head's keys and arguments, too. */
    @ParameterizedTest
    @MethodSource("files")
    void headerListsWhatTheScriptUses(String name) {
        String sent = Script.load(PlainProtocol.class, name).text();

        assertThat(numbered(lines(sent, false))).isEqualTo(numbered(header(name)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void headerSaysThePurposeAndTheAnswer(String name) {
        assertThat(header(name)).startsWith("-- ").contains("KEYS[").contains("-- returns ");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void protocolPageNamesTheScript(String name) throws IOException {
        assertThat(Files.readString(Path.of("../docs/protocol.md"))).contains("| `" + name + "` |");
    }

    @Test
    void headsAreSentBeforeTheirScriptAndEachOnce() throws IOException {
        String acquire = Script.load(PlainProtocol.class, "acquire").text();

        StringBuilder parts = new StringBuilder();
        for (String part : List.of(
                "clock-head",
                "draw-head",
                "acquire-free-head",
                "number-head",
                "acquire-head",
                "tell-head",
                "line-head",
                "acquire")) {
            parts.append(Files.readString(SCRIPTS.resolve(part + ".lua")));
        }
        assertThat(acquire).isEqualTo(parts.toString());
    }

    private static String header(String name) {
        try {
            return lines(Files.readString(SCRIPTS.resolve(name + ".lua")), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String lines(String text, boolean comments) {
        return text.lines().filter(line -> line.startsWith("--") == comments).collect(Collectors.joining("\n"));
    }

    private static Set<String> numbered(String text) {
        return NUMBERED.matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
