package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The call paths of {@code docs/architecture.md} name files and methods that exist, and are no longer than they say. */
class ArchitecturePageTest {

    private static final Path MAIN = Path.of("src/main");
    private static final Path STARTER = Path.of("../lock-spring-boot-starter/src/main");
    private static final Pattern HEADING = Pattern.compile("### (.*) \\(at most (\\d+)\\)");
    private static final Pattern HOP = Pattern.compile("(\\d+)\\. `([\\w/]+\\.(?:java|lua))`(?: `(\\w+)`)?.*");

    private record CallPath(String name, int most, List<Matcher> hops) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<CallPath> paths() throws IOException {
        List<CallPath> paths = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
            Matcher heading = HEADING.matcher(line);
            Matcher hop = HOP.matcher(line);
            if (heading.matches()) {
                paths.add(new CallPath(heading.group(1), Integer.parseInt(heading.group(2)), new ArrayList<>()));
            } else if (hop.matches()) {
                paths.get(paths.size() - 1).hops.add(hop);
            }
        }
        assertThat(paths).hasSize(6);
        return paths.stream();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void eachHopNamesAFileAndAMethodOfIt(CallPath path) throws IOException {
        assertThat(path.hops).hasSizeBetween(5, path.most);
        for (int i = 0; i < path.hops.size(); i++) {
            Matcher hop = path.hops.get(i);
            assertThat(hop.group(1)).as(hop.group()).isEqualTo(Integer.toString(i + 1));
            Path main = hop.group(2).startsWith("spring/") ? STARTER : MAIN;
            Path file = main.resolve(hop.group(2).endsWith(".lua") ? "" : "java/dev/holdfast/lock")
                    .resolve(hop.group(2));
            assertThat(file).isRegularFile();
            if (hop.group(3) != null) {
                assertThat(Files.readString(file)).as(hop.group()).containsPattern("\\W" + hop.group(3) + "\\(");
            }
        }
    }

    /** Down to the script, no class comes twice. */
    @ParameterizedTest
    @MethodSource("paths")
    void callGoesOneWay(CallPath path) {
        if (path.name.startsWith("Acquire")) {
            assertThat(path.hops.stream().map(hop -> hop.group(2))).doesNotHaveDuplicates();
        }
    }
}
