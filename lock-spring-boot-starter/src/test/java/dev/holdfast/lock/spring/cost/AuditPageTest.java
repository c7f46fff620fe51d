package dev.holdfast.lock.spring.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares the files and scripts that {@code docs/contributing/audit.md} lists with those that an annotated method with a plain lock runs. With
 * {@code -Dholdfast.audit.write=true}, it writes them into the page.
 */
@Nightly(inEachBuild = "PagesTest, with whether each file of the page exists")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AuditPageTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/contributing/audit.md");
    private static final String WRITE =
            "./mvnw -pl lock-spring-boot-starter test -Dtest=AuditPageTest -Dholdfast.audit.write=true";

    private static final String FIRST = "## The files\n";
    private static final String NEXT = "## What you take on\n";
    private static final Pattern LISTED = Pattern.compile("\\n\\| \\[[^]]+]\\(\\.\\./\\.\\./([^)]+)\\) \\|");
    private static final Pattern SUM = Pattern.compile("\\n\\| \\*\\*all\\*\\* \\| (\\d+) \\| ([\\d,]+) \\|");

    /** Files whose execution depends on which of two threads comes first. */
    private static final int RACE = 3;

    /** A page whose sum of lines is off by more than this is to be written again. */
    private static final Percentage OFF = Percentage.withPercentage(10);

    private static final Pattern INCLUDE = Pattern.compile("--#include ([\\w-]+)");
    private static final Path LUA = Path.of("lock-core/src/main/lua");
    private static final String USUAL_END = "-- The script usually ends here.";

    private static final int LOG = 100_000;
    private static final RedisServer SERVER = RedisServer.start("slowlog-log-slower-than 0", "slowlog-max-len " + LOG);
    private static final String URI = SERVER.uri().toURI().toString();
    private static final Recorder HERE = new Recorder();
    private static final Recorder THERE = new Recorder();
    private static Program here;
    private static Program there;

    /** What happens during a call, with what it executes that nothing before it in the list does. */
    private record Part(String title, Executed executed, Executed more, List<String> sent, Set<Path> scripts) {}

    private final List<Part> parts = new ArrayList<>();
    private Executed before = new Executed(Map.of());

    @BeforeAll
    static void start() {
        here = HERE.start(LockProgram.class, URI);
        there = THERE.start(LockProgram.class, URI);
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        SERVER.close();
    }

    @Test
    void pageListsWhatAnAnnotatedMethodRuns() throws Exception {
        part("The lock is free", true, key -> here.annotated(key, () -> null));
        part("The method outlives a third of the lease, so the lease is renewed", true, key -> {
            here.annotated(key, () -> {
                awaitScript("renew");
                HERE.settle();
                return null;
            });
        });
        part("Another instance has the lock, so the call waits", false, key -> {
            AutoCloseable holder = there.hold("keyed:" + key);
            FutureTask<Void> call = new FutureTask<>(() -> here.annotated(key, () -> null), null);
            new Thread(call).start();
            PathCostsTest.awaitPlace(SERVER, "keyed:" + key);
            holder.close();
            call.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        });
        part("Redis forgets the lock, so the holder detects a loss", true, key -> {
            try {
                here.annotated(key, () -> {
                    SERVER.cli().del("keyed:" + key);
                    awaitScript("renew");
                    HERE.settle();
                    return null;
                });
            } catch (RuntimeException lost) {
                assertThat(lost).hasMessageContaining("lost");
            }
        });
        assertThat(parts.get(0).sent()).as("commands of a call").containsExactly("acquire", "release");

        if (Boolean.getBoolean("holdfast.audit.write")) {
            String page = Files.readString(PAGE);
            Files.writeString(
                    PAGE, page.substring(0, page.indexOf(FIRST)) + FIRST + text() + page.substring(page.indexOf(NEXT)));
        }
        compare(Files.readString(PAGE));
    }

    private interface Call {
        void with(String key) throws Exception;
    }

    private void part(String title, boolean usual, Call call) throws Exception {
        List<String> sent = new ArrayList<>();
        Executed executed = Executed.repeated(() -> {
            String key = PathCostsTest.name();
            SERVER.cli().slowlogReset();
            Executed each = HERE.executed(() -> {
                call.with(key);
                return null;
            });
            sent.clear();
            sent.addAll(sent());
            return each;
        });
        Set<Path> scripts = new LinkedHashSet<>();
        for (String script : sent) {
            include(LUA.resolve(script + ".lua"), usual, scripts);
        }
        parts.forEach(earlier -> scripts.removeAll(earlier.scripts()));
        scripts.removeIf(script -> code(script) == 0);
        parts.add(new Part(title, executed.withoutFilesOf(before), executed.without(before), sent, scripts));
        before = before.or(executed);
    }

    /** Returns the names of the scripts that clients have sent, in order. */
    private static List<String> sent() {
        Map<String, String> digests = Scripts.digests();
        List<String> sent = new ArrayList<>();
        for (Object entry : SERVER.cli().slowlogGet(LOG)) {
            List<?> command = (List<?>) ((List<?>) entry).get(3);
            if (command.get(0).toString().equalsIgnoreCase("evalsha")) {
                digests.forEach((name, digest) -> {
                    if (digest.equals(command.get(1))) {
                        sent.add(0, name);
                    }
                });
            }
        }
        return sent;
    }

    private static void awaitScript(String name) {
        Await.until(name, Await.PATIENCE, () -> sent().contains(name));
    }

    /** Adds a script and what it includes, or as much of both as it usually reaches. */
    private static void include(Path script, boolean usual, Set<Path> files) {
        if (!files.add(script)) {
            return;
        }
        for (String line : lines(script)) {
            if (usual && line.startsWith(USUAL_END)) {
                return;
            }
            Matcher include = INCLUDE.matcher(line);
            if (include.find()) {
                include(LUA.resolve("lib/" + include.group(1) + ".lua"), usual, files);
            }
        }
    }

    private String text() {
        StringBuilder sums = new StringBuilder("""

                | | files | lines executed | of lines of code | scripts, with what they include |
                | --- | ---: | ---: | ---: | --- |
                """);
        StringBuilder lists = new StringBuilder();
        int files = 0;
        int lines = 0;
        long allCode = 0;
        int scripts = 0;
        for (Part part : parts) {
            long code = 0;
            lists.append("\n### ")
                    .append(part.title())
                    .append("\n\n| file | executed | lines of code |\n| --- | ---: | ---: |\n");
            for (Map.Entry<String, Set<Integer>> file :
                    part.executed().linesByFile().entrySet()) {
                lists.append(row(
                        source(file.getKey()), Integer.toString(file.getValue().size())));
                code += code(source(file.getKey()));
            }
            for (Path script : part.scripts()) {
                lists.append(row(script, ""));
            }
            String plus = files == 0 ? "" : "+";
            sums.append(String.format(
                    "| %s | %s%d | %s%,d | %s%,d | %s |%n",
                    part.title(),
                    plus,
                    part.executed().files(),
                    plus,
                    part.more().lines(),
                    plus,
                    code,
                    part.scripts().stream()
                            .filter(script -> LUA.equals(script.getParent()))
                            .map(script -> "`" + script.getFileName() + "`")
                            .collect(Collectors.joining(", "))));
            files += part.executed().files();
            lines += part.more().lines();
            allCode += code;
            scripts += part.scripts().size();
        }
        return sums.append(String.format(
                        "| **all** | %d | %,d | %,d | %d files of Lua |%n", files, lines, allCode, scripts))
                .append(lists)
                .append('\n')
                .toString();
    }

    private static String row(Path file, String executed) {
        String name = file.toString().replaceFirst(".*/(dev/holdfast/lock|src/main)/", "");
        return String.format("| [%s](../../%s) | %s | %d |%n", name, file, executed, code(file));
    }

    /** Lines of a file that are neither empty nor a comment or an import. */
    private static long code(Path file) {
        return lines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches("(//|/\\*|\\*|--|import |package ).*"))
                .count();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path source(String file) {
        return Stream.of("lock-core", "lock-spring-boot-starter")
                .map(module -> Path.of(module, "src/main/java", file))
                .filter(path -> Files.exists(ROOT.resolve(path)))
                .findFirst()
                .orElseThrow();
    }

    private void compare(String page) {
        Set<String> run = new TreeSet<>();
        for (Part part : parts) {
            part.executed()
                    .linesByFile()
                    .keySet()
                    .forEach(file -> run.add(source(file).toString()));
            part.scripts().forEach(script -> run.add(script.toString()));
        }
        Set<String> listed =
                LISTED.matcher(page).results().map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed).as("files of the page; to write them: " + WRITE).containsAll(run);
        listed.removeAll(run);
        assertThat(listed)
                .as("files of the page that did not run; to write them: " + WRITE)
                .hasSizeLessThanOrEqualTo(RACE);
        Matcher sum = SUM.matcher(page);
        assertThat(sum.find()).isTrue();
        int lines = parts.stream().mapToInt(part -> part.more().lines()).sum();
        assertThat(Integer.parseInt(sum.group(2).replace(",", "")))
                .as("lines of the page; to write them: " + WRITE)
                .isCloseTo(lines, OFF);
    }
}
