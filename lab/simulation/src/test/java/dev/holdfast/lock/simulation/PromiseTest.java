package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each check names a promise, and each promise of the manual that the simulation can check has a check. */
class PromiseTest {

    private static final Path SOURCES = Path.of("src/main/java/dev/holdfast/lock");
    private static final Pattern TEXT = Pattern.compile("\"([A-Za-z][^\"]{8,})\"");

    @Test
    void eachCheckIsInTheSources() throws IOException {
        Set<String> texts = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".java") && !one.endsWith("Promise.java"))
                    .toList()) {
                Matcher text = TEXT.matcher(Files.readString(file));
                while (text.find()) {
                    texts.add(text.group(1));
                }
            }
        }
        List<String> checks = Stream.of(Promise.values())
                .flatMap(promise -> promise.checks().stream())
                .toList();

        assertThat(checks).doesNotHaveDuplicates();
        assertThat(texts)
                .containsAll(checks.stream()
                        .filter(check -> !check.equals("the exploration itself goes on"))
                        .toList());
    }

    @Test
    void eachCallOfACheckNamesAPromise() throws IOException {
        Pattern call = Pattern.compile("\\bfail\\(\\s*(?:[a-z][A-Za-z ]* \\?\\s*)?\"([^\"]+)\"");
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(one -> one.toString().endsWith("Checks.java")
                            || one.endsWith("Promises.java")
                            || one.endsWith("RecordPromise.java")
                            || one.endsWith("ThreadUse.java")
                            || one.endsWith("Caller.java"))
                    .toList()) {
                Matcher check = call.matcher(Files.readString(file));
                while (check.find()) {
                    assertThat(Promise.of(check.group(1)).checks())
                            .as(file.toString())
                            .isNotEmpty();
                }
            }
        }
    }

    @Test
    void theManualHasTheirNumbers() throws IOException {
        String manual = Files.readString(Path.of("../../docs/guarantees.md"));
        for (Promise promise : Promise.values()) {
            assertThat(manual).contains(promise.number() == 0 ? "" : "\n" + promise.number() + ". **");
        }
    }
}
