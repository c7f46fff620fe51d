package dev.holdfast.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.benchmarks.StartedLibrary.Base;
import dev.holdfast.lock.benchmarks.application.Jobs;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the starter adds to an application, counted. Counts do not depend on how busy the machine is, so a change that makes each start of each user
 * dearer fails here; times are for {@code -Dscenario=startup} and {@code -Dscenario=idle}.
 */
@OneAtATime
@Nightly(inEachBuild = "the limits of the sizes of the jars, and RecordedPathsTest")
class StartUpCountsTest {

    /**
     * The limits are what JDK 17 and 25 load, the larger of the two, and a little for what depends on the order of threads. A change that needs
     * more says in a decision what they buy.
     */
    private static final int OWN_UNUSED = 130;

    private static final int UNUSED = 260;
    private static final int OWN = 243;
    private static final int ALL = 595;

    /** Like all JVMs of the tests: counts do not depend on how code is compiled. */
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

    private static final int SILENCE_MILLIS = 5_000;

    private RedisServer server;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() {
        server = RedisServer.start("slowlog-log-slower-than 0", "slowlog-max-len 4096");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private record Loaded(long all, long own) {}

    /** Starts an application that uses Redis itself. */
    private Loaded loaded(StartedLibrary library) throws IOException {
        Path log = folder.resolve(library + ".log");
        ApplicationJars application = ApplicationJars.of(library, Base.REDIS, server.port())
                .with(ONE_COMPILER, "-Xlog:class+load:file=" + log);
        try (ApplicationProcess started = application.start()) {
            if (library == StartedLibrary.HOLDFAST) {
                awaitSelfCheck();
            }
            long all = Long.parseLong(started.parts().getOrDefault("classes", "0"));
            try (Stream<String> lines = Files.lines(log)) {
                return new Loaded(
                        all,
                        lines.filter(line -> line.contains(" dev.holdfast.lock."))
                                .filter(line -> !line.contains(".benchmarks.") && !line.contains("$$Lambda"))
                                .count());
            }
        }
    }

    @Test
    void startLoadsFewClasses() throws IOException {
        Loaded without = loaded(StartedLibrary.NONE);
        Loaded starter = loaded(StartedLibrary.STARTER);
        Loaded locked = loaded(StartedLibrary.HOLDFAST);

        assertThat(starter.own()).as("own classes without an annotated method").isLessThanOrEqualTo(OWN_UNUSED);
        assertThat(starter.all() - without.all())
                .as("classes more without an annotated method")
                .isLessThanOrEqualTo(UNUSED);
        assertThat(locked.own()).as("own classes with an annotated method").isLessThanOrEqualTo(OWN);
        assertThat(locked.all() - without.all())
                .as("classes more with an annotated method")
                .isLessThanOrEqualTo(ALL);
    }

    /** A start reads the scripts of plain locks. Those of other kinds are four fifths of the 244 KB. */
    @Test
    void startReadsTheScriptsOfPlainLocksOnly() throws IOException {
        ApplicationJars application = ApplicationJars.of(StartedLibrary.HOLDFAST, Base.REDIS, server.port());
        try (ApplicationProcess started = application.start()) {
            awaitSelfCheck();

            assertThat(started.objects(Script.class))
                    .as("acquire, release and renew")
                    .isEqualTo(3);
        }
    }

    /** Twenty jobs are one client. */
    @Test
    void idleApplicationHasOneConnectionAndSendsNothing() {
        long connected = connections();
        try (ApplicationProcess started = ApplicationJars.of(
                        StartedLibrary.HOLDFAST, Base.BARE, server.port(), Jobs.class)
                .with(ONE_COMPILER)
                .start()) {
            awaitSelfCheck();
            // A start also looks in the background for ticks that were missed.
            Await.until(
                    "the start is over",
                    Duration.ofSeconds(120),
                    () -> commandsIn(SILENCE_MILLIS).isEmpty());

            assertThat(commandsIn(2 * SILENCE_MILLIS)).as("commands").isEmpty();
            assertThat(connections() - connected).as("connections").isEqualTo(1);
            assertThat(ownThreads(started))
                    .containsExactly("holdfast-timer x 1", "holdfast-wait-limits x 1", "holdfast-watchdog x 1");
        }
    }

    /** The last thing that a start does, in the background. */
    private void awaitSelfCheck() {
        Await.until(
                "the self-check has ended",
                Await.PATIENCE,
                () -> server.cli().slowlogGet(4096).stream()
                        .anyMatch(command -> command.toString().contains("[EXISTS, " + LockKeys.REIGN_KEY + "]")));
    }

    private static List<String> ownThreads(ApplicationProcess application) {
        return Stream.of(application.parts().getOrDefault("threads", "").split(",", -1))
                .filter(thread -> thread.startsWith("holdfast"))
                .toList();
    }

    private long connections() {
        return Long.parseLong(server.info("clients").getOrDefault("connected_clients", "0"));
    }

    /** Silence is no event that could be awaited, so this lets the time pass. */
    private Map<String, Long> commandsIn(int millis) {
        server.resetStats();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        Map<String, Long> commands = new TreeMap<>(server.commandStats());
        // The test itself resets the statistics and reads them.
        commands.keySet().removeAll(Set.of("config|resetstat", "info"));
        return commands;
    }
}
