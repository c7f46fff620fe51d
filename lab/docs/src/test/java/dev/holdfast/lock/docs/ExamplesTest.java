package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Page.Block;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles the Java of the manual and of the Javadoc. A block that is marked {@code java file} is a whole file, and compiles together with the others
 * of its page. One that is marked {@code java spring} is a member of a bean, and one that is marked {@code java} alone is the body of a method that
 * uses the core. Other marks belong to the tests of the adapters and the starter.
 */
class ExamplesTest {

    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public )?(?:final |abstract )?(?:class|interface|record) (\\w+)");
    private static final List<String> OF_THE_ADAPTERS =
            List.of("java integration", "java recipe", "java shedlock", "java test");

    /** What members of a bean take for granted. */
    private static final String BEAN = """
            import dev.holdfast.lock.*;
            import dev.holdfast.lock.leader.*;
            import dev.holdfast.lock.redis.*;
            import dev.holdfast.lock.spring.*;
            import dev.holdfast.lock.spring.boot.*;
            import dev.holdfast.lock.spring.call.*;
            import dev.holdfast.lock.spring.declaration.*;
            import dev.holdfast.lock.spring.fencing.*;
            import io.micrometer.observation.*;
            import java.lang.annotation.*;
            import java.nio.ByteBuffer;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import org.apache.kafka.clients.consumer.ConsumerRecord;
            import org.apache.kafka.clients.producer.ProducerRecord;
            import org.jspecify.annotations.Nullable;
            import org.springframework.beans.factory.ObjectProvider;
            import org.springframework.context.annotation.Bean;
            import org.springframework.core.annotation.AliasFor;
            import org.springframework.dao.ConcurrencyFailureException;
            import org.springframework.jdbc.core.simple.JdbcClient;
            import org.springframework.kafka.annotation.KafkaListener;
            import org.springframework.kafka.core.KafkaTemplate;
            import org.springframework.scheduling.annotation.*;
            import org.springframework.transaction.annotation.Transactional;
            import reactor.core.publisher.Mono;

            abstract class ExampleBean {
                record Order(long id, String warehouse, String article) {}
                record Receipt(String text) {}

                JdbcClient jdbc;
                GuardedRedis redis;
                KafkaTemplate<String, String> kafka;
                Map<String, Long> largest;

                abstract boolean isPaid(Order order);
                abstract Receipt charge(Order order, long token);
                abstract Receipt charge(Order order, String idempotencyKey);
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

    /** What uses of the core take for granted. Each is a class of its own, so that names may repeat. */
    private static final String BODY = """
            import dev.holdfast.lock.*;
            import dev.holdfast.lock.composite.*;
            import dev.holdfast.lock.leader.*;
            import dev.holdfast.lock.redis.*;
            import io.lettuce.core.*;
            import io.lettuce.core.resource.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;

            abstract class ExampleBody%d {
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

    /** Shared: it keeps the indexes of the jars. */
    private static final StandardJavaFileManager FILES =
            ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);

    @TempDir
    Path classes;

    static List<Page> pages() {
        return Page.all();
    }

    @AfterAll
    static void close() throws Exception {
        FILES.close();
    }

    static List<Page> javadoc() {
        return Page.javadoc();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyExampleCompiles(Page page) {
        compile(sources(page.blocks()));
    }

    @ParameterizedTest
    @MethodSource("javadoc")
    void everyExampleOfTheJavadocCompiles(Page source) {
        compile(sources(source.examples()));
    }

    private void compile(List<JavaFileObject> sources) {
        if (sources.isEmpty()) {
            return;
        }
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-d",
                classes.toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-parameters",
                "-XDrawDiagnostics");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(errors, FILES, null, options, null, sources)
                .call();
        assertThat(compiled).as(errors::toString).isTrue();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyExampleIsMarkedForACompiler(Page page) {
        assertThat(page.blocks())
                .extracting(Block::mark)
                .filteredOn(mark -> mark.startsWith("java"))
                .allMatch(mark ->
                        List.of("java", "java file", "java spring").contains(mark) || OF_THE_ADAPTERS.contains(mark));
    }

    @Test
    void examplesAreFound() {
        assertThat(sources(Page.of("README.md").blocks())).isNotEmpty();
        assertThat(sources(Page.of("docs/fencing.md").blocks())).hasSize(3);
        assertThat(sources(Page.of("docs/lock-client.md").blocks())).hasSizeGreaterThan(10);
        assertThat(Page.javadoc()).hasSizeGreaterThanOrEqualTo(5);
    }

    private static List<JavaFileObject> sources(List<Block> blocks) {
        Map<String, String> sources = new TreeMap<>();
        List<String> members = new ArrayList<>();
        for (Block block : blocks) {
            switch (block.mark()) {
                case "java file" -> {
                    Matcher type = TYPE.matcher(block.text());
                    assertThat(type.find()).as(block.text()).isTrue();
                    assertThat(sources.put(type.group(1), block.text()))
                            .as("two files of one name")
                            .isNull();
                }
                case "java spring" -> members.add(block.text());
                case "java" -> {
                    // An example that creates the client declares it.
                    String client = block.text().contains("LockClient locks =") ? "" : "LockClient locks;";
                    int number = sources.size();
                    sources.put("ExampleBody" + number, BODY.formatted(number, client, block.text()));
                }
                default -> {}
            }
        }
        if (!members.isEmpty()) {
            sources.put("ExampleBean", BEAN.formatted(String.join("\n", members)));
        }
        List<JavaFileObject> files = new ArrayList<>();
        sources.forEach((type, text) -> files.add(source(type, text)));
        return files;
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
