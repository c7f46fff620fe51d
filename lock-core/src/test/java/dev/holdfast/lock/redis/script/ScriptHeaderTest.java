package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a script's header says of its keys and arguments is what the script uses. */
class ScriptHeaderTest {

    private static final Path SCRIPTS = Path.of("src/main/lua");
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("owner", "owner"),
            Map.entry("field", "field"),
            Map.entry("seen", "highest number drawn that this client has seen"),
            Map.entry("TTL", "time to live in ms"),
            Map.entry("lifetime", "place counts as alive"),
            Map.entry("ms to keep", "stay"),
            Map.entry("kind", "kind: "),
            Map.entry("grace", "grace in ms"),
            Map.entry("lease", "lease in ms"),
            Map.entry("first token", "first token of its grant"),
            Map.entry("acquiring", "returns the first token if"),
            Map.entry("releasing", "-2 if"),
            Map.entry("renewing", "returns for each key 1 if"));

    private static final Pattern NUMBERED = Pattern.compile("(?:KEYS|ARGV)\\[\\d+]");

    static Stream<String> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .map(name -> name.substring(0, name.length() - ".lua".length()))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    /** A script's header tells of the keys and arguments of what it includes, too. */
    @ParameterizedTest
    @MethodSource("scripts")
    void headerListsWhatTheScriptUses(String name) {
        String sent = Script.load(LockProtocol.class, name).text();

        assertThat(numbered(sent)).isEqualTo(numbered(header(name)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void headerSaysThePurposeAndTheAnswer(String name) {
        assertThat(header(name)).startsWith("-- ").contains("KEYS[").contains("-- returns ");
    }

    /** A row of the page's table: the keys, the arguments in their order, the answer. Words of the page stand for sentences of the header. */
    @ParameterizedTest
    @MethodSource("scripts")
    void protocolPageListsWhatTheHeaderDoes(String name) throws IOException {
        String page = Files.readString(Path.of("../docs/contributing/protocol.md"));
        Matcher row = Pattern.compile("\\| `" + name + "` \\| (.*) \\| (.*) \\| (.*) \\|")
                .matcher(page);
        assertThat(row.find()).as("a row for " + name).isTrue();
        String header = header(name);

        assertThat(header.contains("in a cluster: the last number drawn"))
                .isEqualTo(row.group(1).contains(", token key"));
        assertThat(header.contains("KEYS[i]")).isEqualTo(row.group(1).contains("locks"));
        List<String> arguments = row.group(2).equals("none")
                ? List.of()
                : List.of(row.group(2).replace("for each: ", "").split(", ", -1));
        List<String> described =
                header.lines().filter(line -> line.startsWith("-- ARGV[")).toList();
        assertThat(described).hasSameSizeAs(arguments);
        for (int i = 0; i < described.size(); i++) {
            assertThat(described.get(i)).contains(sentence(arguments.get(i)));
        }
        assertThat(header).contains(sentence(row.group(3)));
    }

    private static String sentence(String word) {
        return WORDS.entrySet().stream()
                .filter(entry -> word.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    /** A digest in {@code SLOWLOG} leads to a script. */
    @Test
    void pageForOnCallListsTheDigests() throws IOException {
        String rows = Scripts.digests().entrySet().stream()
                .map(script -> script.getKey() + " " + script.getValue())
                .collect(Collectors.joining("\n"));

        assertThat(Files.readString(Path.of("../docs/on-call.md"))).contains("```text\n" + rows + "\n```\n");
        assertThat(Scripts.digests().keySet())
                .containsExactlyElementsOf(scripts().toList());
    }

    @Test
    void includedFilesAreSentInTheirPlaceOnceAndWithoutComments() throws IOException {
        String sent = Script.load(LockProtocol.class, "acquire").text();

        String[] own = source("acquire").split(" *--#include .*\n");
        assertThat(sent)
                .startsWith("-- holdfast acquire\n")
                .endsWith(code(own[own.length - 1]))
                .containsSubsequence(
                        code(source("lib/time")),
                        code(source("lib/draw")),
                        code(source("lib/hold")),
                        code(own[4]),
                        code(source("lib/owner")))
                .containsOnlyOnce("local function server_micros()")
                .containsOnlyOnce("--");
    }

    /** What an operator sees in MONITOR or SLOWLOG is what {@code sha1sum} prints of the file in the jar. */
    @ParameterizedTest
    @MethodSource("scripts")
    void digestIsThatOfTheFileInTheJar(String name) throws Exception {
        Script script = Script.load(LockProtocol.class, name);
        byte[] file = Files.readAllBytes(
                Path.of(LockProtocol.class.getResource("lua/" + name + ".lua").toURI()));

        byte[] digest = MessageDigest.getInstance("SHA-1").digest(file);
        assertThat(script.sha()).isEqualTo(HexFormat.of().formatHex(digest));
        assertThat(script.text().getBytes(StandardCharsets.UTF_8)).isEqualTo(file);
    }

    private static String source(String name) {
        try {
            return Files.readString(SCRIPTS.resolve(name + ".lua"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header(String name) {
        return source(name).lines().filter(line -> line.startsWith("--")).collect(Collectors.joining("\n"));
    }

    private static String code(String source) {
        return source.replaceAll("(?m)^ *(--.*)?\n", "");
    }

    private static Set<String> numbered(String text) {
        return NUMBERED.matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
