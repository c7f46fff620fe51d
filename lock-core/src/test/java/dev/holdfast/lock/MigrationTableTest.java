package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RLock;

/** The calls that {@code docs/migrating-from-redisson.md} names exist, and so do the tests that the laboratory names. */
class MigrationTableTest {

    private static final Path PAGE = Path.of("..", "docs", "migrating-from-redisson.md");
    private static final Path FAULTS = Path.of("..", "docs", "lab", "redisson-faults.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+\\.\\w+)` \\| `(\\w+\\.\\w+)` \\|");
    private static final List<String> THEIRS = List.of("org.redisson.api.", "org.redisson.config.");
    private static final List<String> OURS =
            List.of("dev.holdfast.lock.", "dev.holdfast.lock.redis.", "dev.holdfast.lock.internal.waiting.");

    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|Contract)\\.\\w+)`");
    private static final List<Path> TESTS = List.of(Path.of("src/test/java"), Path.of("src/fixtures/java"));

    record Correspondence(String theirs, String ours) {}

    static Stream<Correspondence> rows() throws IOException {
        return ROW
                .matcher(Files.readString(PAGE))
                .results()
                .map(row -> new Correspondence(row.group(1), row.group(2)))
                .toList()
                .stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void bothCallsExist(Correspondence row) {
        assertThat(calls(THEIRS, row.theirs())).isNotEmpty();
        assertThat(calls(OURS, row.ours())).isNotEmpty();
    }

    @Test
    void tableCoversWhatAUserOfRLockCalls() throws IOException {
        assertThat(rows().map(Correspondence::theirs).filter(call -> call.startsWith("RLock.")))
                .map(call -> call.substring("RLock.".length()))
                .containsAll(methodsOfRLock());
    }

    static Stream<String> tests() throws IOException {
        return TEST.matcher(Files.readString(FAULTS)).results().map(test -> test.group(1)).toList().stream();
    }

    @ParameterizedTest
    @MethodSource("tests")
    void testOfAFaultExists(String test) throws IOException {
        String[] parts = test.split("\\.");
        // An architecture rule is a field.
        assertThat(sourceOf(parts[0])).containsPattern("(void|ArchRule) " + parts[1] + "\\b");
    }

    /** The source of the one test class in any package that is called so. */
    private static String sourceOf(String simpleName) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path root : TESTS) {
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(file -> file.endsWith(simpleName + ".java")).forEach(found::add);
            }
        }
        assertThat(found).as("test classes called " + simpleName).hasSize(1);
        return Files.readString(found.get(0));
    }

    private static List<String> methodsOfRLock() {
        return Arrays.stream(RLock.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !name.equals("getName"))
                .toList();
    }

    private static List<Method> calls(List<String> packages, String call) {
        String[] parts = call.split("\\.");
        Class<?> type = packages.stream()
                .flatMap(each -> found(each + parts[0]))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No class for " + call));
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(parts[1]))
                .toList();
    }

    private static Stream<Class<?>> found(String type) {
        try {
            return Stream.of(Class.forName(type));
        } catch (ClassNotFoundException e) {
            return Stream.empty();
        }
    }
}
