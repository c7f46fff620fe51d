package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A test that needs a room that nobody has would never run. */
class RoomsTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern NEEDED = Pattern.compile("NeedsRoom(?:\\.IsThere\\.isThere)?\\(\"([\\w.]+)\"\\)");

    @Test
    void neededRoomsAreThoseOfTheArchitecturePage() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/contributing/architecture.md"));

        assertThat(needed())
                .isNotEmpty()
                .allSatisfy(room -> assertThat(page).contains("\n| `dev.holdfast.lock." + room + "` | "));
    }

    private static Set<String> needed() throws IOException {
        Set<String> rooms = new TreeSet<>();
        for (String module : new String[] {"lock-core", "lock-spring-boot-starter"}) {
            try (Stream<Path> tests = Files.walk(ROOT.resolve(module).resolve("src/test"))) {
                for (Path test :
                        tests.filter(file -> file.toString().endsWith(".java")).toList()) {
                    Matcher needed = NEEDED.matcher(Files.readString(test));
                    while (needed.find()) {
                        rooms.add(needed.group(1));
                    }
                }
            }
        }
        return rooms;
    }
}
