package dev.holdfast.rewrite;

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
import org.openrewrite.Recipe;

/** The commands of the manual name this module, and recipes that are there. */
class CommandsTest {

    private static final Pattern RECIPE = Pattern.compile("dev\\.holdfast\\.rewrite\\.\\w+");
    private static final Pattern COORDINATES = Pattern.compile("dev\\.holdfast:holdfast-rewrite:([\\w.-]+)");

    private static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("../../docs"))) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .map(CommandsTest::text)
                    .toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Set<String> found(Pattern pattern) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String page : pages()) {
            Matcher matcher = pattern.matcher(page);
            while (matcher.find()) {
                found.add(matcher.group(matcher.groupCount()));
            }
        }
        return found;
    }

    @Test
    void eachRecipeHasItsCommandAndEachCommandItsRecipe() throws IOException, ReflectiveOperationException {
        Set<String> named = found(RECIPE);
        for (String each : named) {
            assertThat(Recipe.class).isAssignableFrom(Class.forName(each));
        }
        try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/holdfast/rewrite"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(file -> file.startsWith("From"))
                            .map(file -> "dev.holdfast.rewrite." + file.replace(".java", "")))
                    .containsExactlyInAnyOrderElementsOf(named);
        }
    }

    @Test
    void commandsNameTheVersionOfThisModule() throws IOException {
        assertThat(found(COORDINATES)).containsExactly(HoldfastVersion.get());
    }
}
