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

/** The call paths of {@code docs/contributing/architecture.md} name files and methods that exist, and are no longer than they say. */
class ArchitecturePageTest {

    private static final Path MAIN = Path.of("src/main");
    private static final Path STARTER = Path.of("../lock-spring-boot-starter/src/main");
    private static final Pattern HEADING = Pattern.compile("### (.*) \\(at most (\\d+)\\)");
    /** One in italics says what comes between it and the hop before, which does not call it. */
    private static final Pattern HOP =
            Pattern.compile("(\\d+)\\. (\\*[^*]+\\* )?`([\\w/]+\\.(?:java|lua))`(?: `(\\w+)`)?.*");

    record Hop(int number, boolean isCalled, String file, String method) {

        boolean isScript() {
            return file.endsWith(".lua");
        }

        @Override
        public String toString() {
            return file + " " + method;
        }
    }

    record CallPath(String name, int most, List<Hop> hops) {

        /** The hops of which each one calls the next one. */
        List<List<Hop>> segments() {
            List<List<Hop>> segments = new ArrayList<>();
            boolean ended = true;
            for (Hop hop : hops) {
                if (!hop.isScript()) {
                    if (ended || !hop.isCalled) {
                        segments.add(new ArrayList<>());
                    }
                    segments.get(segments.size() - 1).add(hop);
                }
                ended = hop.isScript();
            }
            return segments;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<CallPath> paths() throws IOException {
        List<CallPath> paths = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../docs/contributing/architecture.md"))) {
            Matcher heading = HEADING.matcher(line);
            Matcher hop = HOP.matcher(line);
            if (heading.matches()) {
                paths.add(new CallPath(heading.group(1), Integer.parseInt(heading.group(2)), new ArrayList<>()));
            } else if (hop.matches()) {
                paths.get(paths.size() - 1)
                        .hops
                        .add(new Hop(
                                Integer.parseInt(hop.group(1)),
                                hop.group(2) == null,
                                hop.group(3),
                                hop.group(4) == null ? "" : hop.group(4)));
            }
        }
        assertThat(paths).hasSize(7);
        return paths.stream();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void eachHopNamesAFileAndAMethodOfIt(CallPath path) throws IOException {
        assertThat(path.hops).hasSizeBetween(5, path.most);
        for (int i = 0; i < path.hops.size(); i++) {
            Hop hop = path.hops.get(i);
            assertThat(hop.number).as(hop.toString()).isEqualTo(i + 1);
            Path main = hop.file.startsWith("spring/") ? STARTER : MAIN;
            Path file =
                    main.resolve(hop.isScript() ? "" : "java/dev/holdfast/lock").resolve(hop.file);
            assertThat(file).isRegularFile();
            if (!hop.method.isEmpty()) {
                assertThat(Files.readString(file)).as(hop.toString()).containsPattern("\\W" + hop.method + "\\(");
            }
        }
    }
}
