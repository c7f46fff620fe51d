package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documentation shows compiles. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    /** What the examples take for granted. */
    private static final String FRAME = """
            import dev.holdfast.lock.*;
            import dev.holdfast.lock.composite.*;
            import dev.holdfast.lock.redis.*;
            import io.lettuce.core.*;
            import io.lettuce.core.resource.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;

            abstract class Example {
                %s RedisURI uri;
                ClientResources clientResources;
                LockClient otherLocks;
                LockClient thirdLocks;
                LockListener listener;

                abstract void report();
                abstract void pay(long token);
                abstract CompletionStage<Void> payAsync(long token);
                abstract void log(String line);
                abstract boolean hasMore();
                abstract void importNext(long token);

                void example() throws Exception {
                    %s
                }
            }
            """;

    @TempDir
    Path classes;

    static Stream<String> examples() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            List<Path> pages = Stream.concat(docs, Stream.of(ROOT.resolve("README.md")))
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
            return pages.stream().flatMap(DocumentationTest::blocks).toList().stream();
        }
    }

    private static Stream<String> blocks(Path page) {
        try {
            return JAVA_BLOCK.matcher(Files.readString(page)).results().map(block -> block.group(1));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleCompiles(String example) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        // An example that makes the client declares it itself.
        String given = example.contains("LockClient locks =") ? "" : "LockClient locks;";
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return FRAME.formatted(given, example);
                    }
                };
        StringWriter complaints = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");

        boolean compiled = compiler.getTask(complaints, null, null, options, null, List.of(source))
                .call();

        assertThat(compiled).as(() -> example + complaints).isTrue();
    }
}
