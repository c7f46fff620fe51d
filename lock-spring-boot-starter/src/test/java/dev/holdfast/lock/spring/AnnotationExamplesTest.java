package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/annotation.md} shows compiles: its blocks marked {@code java spring} are members of a bean. */
class AnnotationExamplesTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java spring\\n(.*?)^```");

    /** What the examples take for granted. */
    private static final String FRAME = """
            import dev.holdfast.lock.*;
            import dev.holdfast.lock.spring.*;
            import dev.holdfast.lock.spring.interceptor.*;
            import io.micrometer.observation.*;
            import java.lang.annotation.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import org.jspecify.annotations.Nullable;
            import org.springframework.context.annotation.Bean;
            import org.springframework.core.annotation.AliasFor;
            import org.springframework.scheduling.annotation.*;
            import org.springframework.transaction.annotation.Transactional;
            import reactor.core.publisher.Mono;

            abstract class Examples {
                record Order(long id, String warehouse, String article) {}
                record Receipt(String text) {}

                abstract Receipt charge(Order order, long token);
                abstract Receipt queued(Order order, Duration delay);
                abstract void book(Order order);
                abstract void move(String from, String to);
                abstract void report();
                abstract boolean hasMore();
                abstract void importNext(long token);
                abstract void log(String line);

                %s
            }
            """;

    @TempDir
    Path classes;

    @Test
    void everyExampleCompiles() throws IOException {
        List<String> examples = BLOCK.matcher(Files.readString(Path.of("../docs/annotation.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(examples).hasSizeGreaterThan(5);

        StringWriter complaints = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");
        Stream<JavaFileObject> sources = Stream.of(source(String.join("\n", examples)));

        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(complaints, null, null, options, null, sources.toList())
                .call();

        assertThat(compiled).as(complaints::toString).isTrue();
    }

    private static JavaFileObject source(String members) {
        return new SimpleJavaFileObject(URI.create("string:///Examples.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return FRAME.formatted(members);
            }
        };
    }
}
