package dev.holdfast.lock.spring.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Counts the files and lines of Holdfast that a warm call executes, and the frames between the caller and the command, and compares them with the table
 * in {@code docs/contributing/architecture.md}: they may not grow. The measured table is in {@code target/path-costs.md}, and the executed files of
 * each path are in {@code target/path-costs.txt}.
 */
@Nightly(inEachBuild = "RecordedPathsTest, with the hops of each path and their number")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PathCostsTest {

    private static final Pattern ROW = Pattern.compile("\\| ([^|]+) \\| (\\d+) \\| ([\\d,]+) \\| (\\d*) \\|");
    /** How many lines depend on which of two threads comes first. */
    private static final int RACE = 15;

    /** A path with fewer files than this below the page was not executed, or the page is to be corrected. */
    private static final int FEWER = 2;

    /** A third of the watchdog timeout of {@link LockProgram}, and a little more: each such time has a renewal. */
    private static final long RENEWAL_MILLIS = 1_300;

    private static final RedisServer SERVER = RedisServer.shared();
    private static final String URI = SERVER.uri().toURI().toString();
    private static final Recorder HERE = new Recorder();
    private static final Recorder THERE = new Recorder();
    private static Program here;
    private static Program there;

    /** Frames are counted where a caller sends the command itself. */
    private record Cost(int files, int lines, String frames) {}

    private final Map<String, Cost> measured = new LinkedHashMap<>();
    private final StringBuilder files = new StringBuilder();

    @BeforeAll
    static void start() {
        here = HERE.start(LockProgram.class, URI);
        there = THERE.start(LockProgram.class, URI);
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
    }

    @Test
    void pathsExecuteNoMoreThanThePageSays() throws Exception {
        Executed locked = measure("`lock()`, uncontended", () -> {
            String name = name();
            Executed executed = HERE.executed(() -> here.lock(name));
            here.unlock(name);
            return executed;
        });
        Executed unlocked = measure("`unlock()`, uncontended", () -> {
            String name = name();
            here.lock(name);
            HERE.settle();
            return HERE.executed(() -> here.unlock(name));
        });
        String warm = name();
        frames("`lock()`, uncontended", here.lock(warm));
        frames("`unlock()`, uncontended", here.unlock(warm));
        measure("a wait for another client, its grant and release", () -> {
            String name = name();
            AutoCloseable holder = there.hold(name);
            return HERE.executed(() -> {
                Future<AutoCloseable> waiter = here.want(name);
                awaitPlace(SERVER, name);
                holder.close();
                return release(waiter);
            });
        });
        measure("a release that grants to another client", () -> {
            String name = name();
            AutoCloseable holder = here.hold(name);
            Future<AutoCloseable> waiter = there.want(name);
            awaitPlace(SERVER, name);
            Executed executed = HERE.executed(run(holder::close));
            release(waiter);
            return executed;
        });
        measure("in that client: the message, and the grant", () -> {
            String name = name();
            AutoCloseable holder = there.hold(name);
            Future<AutoCloseable> waiter = here.want(name);
            awaitPlace(SERVER, name);
            Executed executed = HERE.executed(() -> {
                holder.close();
                return waiter.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            });
            release(waiter);
            return executed;
        });
        measure("a hand-over in memory", () -> {
            String name = name();
            AutoCloseable holder = here.hold(name);
            // The grant is so young that the waiter does not ask. Otherwise, it would have a place to give up.
            Future<AutoCloseable> waiter = here.want(name);
            Executed executed = HERE.executed(() -> {
                holder.close();
                return waiter.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            });
            release(waiter);
            return executed;
        });
        measure("a renewal", () -> {
            try (AutoCloseable holder = here.hold(name())) {
                HERE.settle();
                return HERE.executed(() -> null, RENEWAL_MILLIS);
            }
        });
        Executed both = locked.or(unlocked);
        Executed annotated = Executed.repeated(() -> HERE.executed(run(() -> here.annotated(name(), () -> null))));
        note("an annotated call with a key, on top of both", annotated.without(both));
        measure("a tick of a job", () -> {
            here.nextTick();
            return HERE.executed(run(here::tick));
        });
        measure("a leader that starts", () -> {
            AtomicReference<AutoCloseable> election = new AtomicReference<>();
            Executed executed = HERE.executed(() -> {
                election.set(here.lead(name()));
                return null;
            });
            election.get().close();
            return executed;
        });
        compare();
    }

    private void compare() throws IOException {
        StringBuilder table = new StringBuilder();
        measured.forEach((path, cost) -> table.append(
                String.format("| %s | %d | %,d | %s |%n", path, cost.files(), cost.lines(), cost.frames())));
        Files.writeString(Path.of("target/path-costs.md"), table);
        Files.writeString(Path.of("target/path-costs.txt"), files);
        String page = Files.readString(Path.of("../docs/contributing/architecture.md"));
        List<MatchResult> rows = ROW.matcher(page).results().toList();
        assertThat(rows).extracting(row -> row.group(1)).containsExactlyElementsOf(measured.keySet());
        for (MatchResult row : rows) {
            Cost cost = measured.get(row.group(1));
            assertThat(cost.files())
                    .as("files: %s%n%s", row.group(), table)
                    .isBetween(number(row.group(2)) - FEWER, number(row.group(2)));
            assertThat(cost.lines())
                    .as("lines: %s%n%s", row.group(), table)
                    .isLessThanOrEqualTo(number(row.group(3)) + RACE);
            if (!row.group(4).isEmpty()) {
                assertThat(number(cost.frames()))
                        .as("frames: %s%n%s", row.group(), table)
                        .isLessThanOrEqualTo(number(row.group(4)));
            }
        }
    }

    private static int number(String text) {
        return Integer.parseInt(text.replace(",", ""));
    }

    private Executed measure(String path, Callable<Executed> round) throws Exception {
        Executed executed = Executed.repeated(round);
        note(path, executed);
        return executed;
    }

    private void note(String path, Executed executed) {
        measured.put(path, new Cost(executed.files(), executed.lines(), ""));
        files.append(path).append('\n');
        executed.linesByFile().forEach((file, lines) -> files.append(String.format("%6d %s%n", lines.size(), file)));
    }

    private void frames(String path, int frames) {
        measured.computeIfPresent(path, (same, cost) -> new Cost(cost.files(), cost.lines(), Integer.toString(frames)));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static Callable<?> run(Action action) {
        return () -> {
            action.run();
            return null;
        };
    }

    private static Object release(Future<AutoCloseable> waiter) throws Exception {
        waiter.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        return null;
    }

    static String name() {
        return "path-" + UUID.randomUUID();
    }

    /** Waits until a client is in the lock's queue, and listens. */
    static void awaitPlace(RedisServer server, String name) {
        Await.until(
                "a place of " + name,
                Await.PATIENCE,
                () -> server.cli().lrange("redisson_lock_queue:{" + name + "}", 0, -1).stream()
                        .map(place -> "holdfast:wake:" + place.substring(0, place.indexOf(':')))
                        .anyMatch(channel -> server.cli().pubsubNumsub(channel).get(channel) > 0));
    }
}
