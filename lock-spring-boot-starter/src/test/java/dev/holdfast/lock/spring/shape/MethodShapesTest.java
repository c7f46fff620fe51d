package dev.holdfast.lock.spring.shape;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Every shape of a locked method holds its lock, or is refused or reported at start-up. {@code -Pnightly} runs the shapes with all pairs of their
 * values, {@code -Dholdfast.shapes.seed=2} others, and {@code -Dholdfast.shapes.only=NAME} one shape.
 */
class MethodShapesTest {

    private static final String ONLY = System.getProperty("holdfast.shapes.only");
    /** So many shapes have each value of each choice. */
    private static final int IN_EACH_BUILD = 140;

    private static final Map<Outcome.Kind, Integer> COUNTS = new EnumMap<>(Outcome.Kind.class);

    @TempDir
    static Path folder;

    /** Spring logs each context that does not start. */
    private static final Logger SPRING = (Logger) LoggerFactory.getLogger("org.springframework");

    private static URLClassLoader classes;
    private static LockClient client;

    private static final List<Shape> SHAPES = ONLY == null
            ? List.copyOf(Covering.shapes(
                    Long.getLong("holdfast.shapes.seed", 1), Nightly.Night.isOn() ? Integer.MAX_VALUE : IN_EACH_BUILD))
            : Stream.of(ONLY.split(",")).map(Shape::named).toList();

    static List<Shape> shapes() {
        return SHAPES;
    }

    @BeforeAll
    static void compile() throws IOException {
        SPRING.setLevel(Level.OFF);
        classes = ShapeCompiler.compile(SHAPES, folder);
        client = RedisLockClient.builder(RedisSource.of(RedisServer.shared().uri()))
                .keyPrefix(UUID.randomUUID() + ":")
                .defaultWait(Duration.ofSeconds(5))
                .checkAtStart(false)
                .build();
        // The first connection of a process may take longer than a command may.
        client.connected()
                .toCompletableFuture()
                .orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    @AfterAll
    static void close() throws IOException {
        System.out.println("Shapes: " + COUNTS);
        SPRING.setLevel(null);
        client.close();
        classes.close();
        if (ONLY == null) {
            assertThat(COUNTS.get(Outcome.Kind.LOCKED))
                    .as("refusing all would be no answer")
                    .isGreaterThan(SHAPES.size() / 3);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    @Timeout(Await.TEST_SECONDS)
    void bodyHoldsItsLockOrStartUpSaysThatItDoesNot(Shape shape) {
        ShapeRun run = new ShapeRun(shape, classes, client);
        Outcome outcome = run.run();
        COUNTS.merge(outcome.kind(), 1, Integer::sum);
        String source = String.join("\n", ShapeSource.of(shape).values());
        if (outcome.kind() != Outcome.Kind.LOCKED) {
            assertThat(run.control())
                    .withFailMessage(() -> "The rules allow a shape that needs no lock to fail\n\n" + source)
                    .isNull();
        }
        assertThat(outcome.isFine())
                .withFailMessage(() -> outcome + "\n\n" + source)
                .isTrue();
    }
}
