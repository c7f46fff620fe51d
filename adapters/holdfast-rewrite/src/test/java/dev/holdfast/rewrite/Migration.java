package dev.holdfast.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.openrewrite.RecipeRun;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.tree.J;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/**
 * Runs a recipe with OpenRewrite's test kit, which also runs it on its own result: a second run must change nothing. What a recipe has written is
 * compiled, against the classes of this build.
 */
abstract class Migration implements RewriteTest {

    /** The sources of one run, before and after. A source that the recipe leaves is compiled too. */
    private final List<SourceFile> sources = new ArrayList<>();

    @Override
    public void defaults(RecipeSpec spec) {
        spec.parser(JavaParser.fromJavaVersion().classpath(JavaParser.runtimeClasspath()))
                .beforeRecipe(sources::addAll)
                .afterRecipe(this::compile);
    }

    private void compile(RecipeRun run) {
        Map<Path, SourceFile> after = new java.util.LinkedHashMap<>();
        sources.forEach(source -> after.put(source.getSourcePath(), source));
        for (Result result : run.getChangeset().getAllResults()) {
            SourceFile changed = result.getAfter();
            if (changed != null) {
                after.put(changed.getSourcePath(), changed);
            }
        }
        List<JavaFileObject> units = after.values().stream()
                .filter(J.CompilationUnit.class::isInstance)
                .map(Migration::unit)
                .toList();
        if (units.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        Path output = temporary();
        boolean compiles = compiler.getTask(
                        errors,
                        null,
                        null,
                        List.of(
                                "-proc:none",
                                "-nowarn",
                                "-d",
                                output.toString(),
                                "-cp",
                                System.getProperty("java.class.path")),
                        null,
                        units)
                .call();
        delete(output);
        assertThat(compiles).as(errors.toString()).isTrue();
    }

    private static JavaFileObject unit(SourceFile source) {
        String name = source.getSourcePath().getFileName().toString();
        String text = source.printAll();
        return new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("migration");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> assertThat(file.toFile().delete()).isTrue());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
