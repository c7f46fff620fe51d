package dev.holdfast.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.openrewrite.xml.Assertions.xml;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.openrewrite.Recipe;
import org.openrewrite.RecipeRun;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.internal.DefaultJavaTypeFactory;
import org.openrewrite.java.internal.JavaTypeCache;
import org.openrewrite.java.tree.J;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

/**
 * Runs a recipe with OpenRewrite's test kit, which also runs it on its own result: a second run must change nothing. What a recipe has written is
 * compiled, against the classes of this build.
 */
abstract class Migration implements RewriteTest {

    /** What neither the applications of these tests nor what they use need. Each run opens each jar, and each parser loads Lombok if it sees it. */
    private static final Pattern OF_TOOLS = Pattern.compile(
            "(rewrite|groovy|kotlin|junit|mockito|byte-buddy|assertj|hamcrest|netty|reactor|jackson"
                    + "|micrometer|maven|classgraph|logback|log4j|xmlunit|json|snakeyaml|lettuce|jedis|jgit|recaf|woodstox|asm|antlr|lombok).*");

    private static final List<Path> CLASSPATH = JavaParser.runtimeClasspath().stream()
            .filter(path -> !OF_TOOLS.matcher(path.getFileName().toString()).matches())
            .toList();

    /** What the applications of these tests use most. Each source that names one of these types also leads to all types that its members name. */
    private static final String OF_LIBRARIES = """
            import com.baomidou.lock.annotation.Lock4j;
            import dev.holdfast.lock.LockClient;
            import dev.holdfast.lock.spring.DistributedLock;
            import net.javacrumbs.shedlock.core.LockProvider;
            import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
            import org.redisson.Redisson;
            import org.redisson.api.RedissonClient;
            import org.springframework.boot.autoconfigure.klock.annotation.Klock;
            import org.springframework.context.annotation.Bean;
            import org.springframework.data.redis.connection.RedisConnectionFactory;
            import org.springframework.integration.redis.util.RedisLockRegistry;
            import org.springframework.jdbc.core.JdbcTemplate;

            class Libraries {}
            """;

    private static final JavaTypeCache LIBRARIES = libraries();

    private static JavaTypeCache libraries() {
        JavaTypeCache types = new JavaTypeCache();
        assertThat(parser(types).build().parse(OF_LIBRARIES)).hasSize(1);
        return types;
    }

    private static JavaParser.Builder<?, ?> parser(JavaTypeCache types) {
        return JavaParser.fromJavaVersion().classpath(CLASSPATH).typeFactory(new DefaultJavaTypeFactory(types));
    }

    /** What a build has after the migration. */
    static final String STARTER = "dev.holdfast:lock-spring-boot-starter:" + HoldfastVersion.get();

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all tests, because it keeps the indexes of the jars open. */
    private static final StandardJavaFileManager FILES = files();

    private static StandardJavaFileManager files() {
        StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null);
        try {
            files.setLocationFromPaths(StandardLocation.CLASS_PATH, CLASSPATH);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** The sources of one run, before and after. A source that the recipe leaves is compiled too. */
    private final List<SourceFile> sources = new ArrayList<>();

    private final Recipe recipe;

    Migration(Recipe recipe) {
        this.recipe = recipe;
    }

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipe(recipe).expectedCyclesThatMakeChanges(1).cycles(3);
        // A layer for each test, because types of the same name differ.
        spec.parser(parser(JavaTypeCache.withBase(LIBRARIES)))
                .beforeRecipe(sources::addAll)
                .afterRecipe(this::compile);
    }

    /** The file that Maven reads, with these dependencies before and after. A change of it takes a second cycle. */
    static SourceSpecs pom(List<String> before, List<String> after) {
        return xml(pom(before), pom(after), spec -> spec.path("pom.xml"));
    }

    /** Each dependency has a group, an artifact and a version. */
    static String pom(List<String> dependencies) {
        return dependencies.stream()
                .map(each -> each.replaceFirst("(.*):(.*):(.*)", """
                            <dependency>
                              <groupId>$1</groupId>
                              <artifactId>$2</artifactId>
                              <version>$3</version>
                            </dependency>
                        """))
                .collect(Collectors.joining("", "<project>\n  <dependencies>\n", "  </dependencies>\n</project>\n"));
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
        StringWriter errors = new StringWriter();
        boolean compiles = COMPILER.getTask(
                        errors, new Unwritten(FILES), null, List.of("-proc:none", "-nowarn"), null, units)
                .call();
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

    /** Compiles without a folder for the classes, which nobody reads. */
    private static final class Unwritten extends ForwardingJavaFileManager<StandardJavaFileManager> {

        private Unwritten(StandardJavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return OutputStream.nullOutputStream();
                }
            };
        }
    }
}
