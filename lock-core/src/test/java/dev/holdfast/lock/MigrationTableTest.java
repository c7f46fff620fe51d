package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Member;
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
                .containsAll(ownMethods("org.redisson.api.RLock"));
    }

    static Stream<String> tests() throws IOException {
        return TEST.matcher(Files.readString(FAULTS)).results().map(test -> test.group(1)).toList().stream();
    }

    @ParameterizedTest
    @MethodSource("tests")
    void testOfAFaultExists(String test) throws IOException {
        String[] parts = test.split("\\.");
        Class<?> type = found(testClass(parts[0]));
        // An architecture rule is a field.
        assertThat(Stream.concat(Arrays.stream(type.getDeclaredMethods()), Arrays.stream(type.getDeclaredFields()))
                        .map(Member::getName))
                .contains(parts[1]);
    }

    /** The name of the one test class in any package that is called so. */
    private static String testClass(String simpleName) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path root : TESTS) {
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(file -> file.endsWith(simpleName + ".java"))
                        .map(file -> root.relativize(file)
                                .toString()
                                .replaceAll("\\.java$", "")
                                .replaceAll("[/\\\\]", "."))
                        .forEach(names::add);
            }
        }
        assertThat(names).as("test classes called " + simpleName).hasSize(1);
        return names.get(0);
    }

    private static List<String> ownMethods(String type) {
        return Arrays.stream(found(type).getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !name.equals("getName"))
                .toList();
    }

    private static List<Method> calls(List<String> packages, String call) {
        String[] parts = call.split("\\.");
        Class<?> type = packages.stream()
                .map(each -> each + parts[0])
                .filter(MigrationTableTest::exists)
                .map(MigrationTableTest::found)
                .findFirst()
                .orElseThrow(() -> new AssertionError("No class for " + call));
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(parts[1]))
                .toList();
    }

    private static boolean exists(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Class<?> found(String type) {
        try {
            // Without its static fields, some of which start a server.
            return Class.forName(type, false, MigrationTableTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new LinkageError("Gone: " + type, e);
        }
    }
}
