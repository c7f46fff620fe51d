package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles the Java examples of the README and of docs. A block that is marked {@code java file} is a whole file and compiles as shown, together
 * with the other files of its page. A block that is marked {@code java spring} is a member of a bean, and compiles with the imports of the frame
 * below. The tests of lock-core compile those that are marked {@code java} alone, and those of the adapters {@code java integration} and
 * {@code java shedlock}.
 */
class DocumentationTest {

    private static final Pattern FILE = Pattern.compile("(?ms)^```java file\\n(.*?)^```");
    private static final Pattern MEMBER = Pattern.compile("(?ms)^```java spring\\n(.*?)^```");
    private static final Pattern OTHER = Pattern.compile("(?m)^```java(?! file$| spring$| integration$| shedlock$|$)");
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public )?(?:final )?(?:class|interface|record) (\\w+)");

    /** What the members take for granted. */
    private static final String FRAME = """
            import dev.holdfast.lock.*;
            import dev.holdfast.lock.redis.*;
            import dev.holdfast.lock.spring.*;
            import dev.holdfast.lock.spring.interceptor.*;
            import io.micrometer.observation.*;
            import java.lang.annotation.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import org.jspecify.annotations.Nullable;
            import org.springframework.beans.factory.ObjectProvider;
            import org.springframework.context.annotation.Bean;
            import org.springframework.core.annotation.AliasFor;
            import org.springframework.scheduling.annotation.*;
            import org.springframework.transaction.annotation.Transactional;
            import reactor.core.publisher.Mono;

            abstract class Examples {
                record Order(long id, String warehouse, String article) {}
                record Receipt(String text) {}

                abstract Receipt charge(Order order, long token);
                abstract Receipt exported(String article, long token);
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

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("../docs"))) {
            return Stream.concat(docs, Stream.of(Path.of("../README.md")))
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyExampleCompiles(Path page) throws IOException {
        String text = Files.readString(page);
        List<JavaFileObject> sources = new ArrayList<>();
        for (String file : blocks(FILE, text)) {
            Matcher type = TYPE.matcher(file);
            assertThat(type.find()).as(file).isTrue();
            sources.add(source(type.group(1), file));
        }
        List<String> members = blocks(MEMBER, text);
        if (!members.isEmpty()) {
            sources.add(source("Examples", FRAME.formatted(String.join("\n", members))));
        }
        if (!sources.isEmpty()) {
            assertCompiles(sources);
        }
    }

    @Test
    void examplesAreFound() throws IOException {
        assertThat(blocks(FILE, Files.readString(Path.of("../README.md")))).hasSizeGreaterThan(2);
        assertThat(blocks(MEMBER, Files.readString(Path.of("../docs/annotation.md"))))
                .hasSizeGreaterThan(5);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyExampleIsMarkedForACompiler(Path page) throws IOException {
        assertThat(OTHER.matcher(Files.readString(page)).results()).isEmpty();
    }

    private static List<String> blocks(Pattern marked, String text) {
        return marked.matcher(text).results().map(block -> block.group(1)).toList();
    }

    private void assertCompiles(List<JavaFileObject> sources) {
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-d",
                classes.toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-parameters");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(errors, null, null, options, null, sources)
                .call();
        assertThat(compiled).as(errors::toString).isTrue();
    }

    private static JavaFileObject source(String type, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
