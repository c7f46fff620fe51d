package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.check.CheckStage.Phase;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks of other libraries from their public jars, as a reader runs them. */
@Timeout(Await.TEST_SECONDS)
@OneAtATime
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no SIGSTOP")
class ReaderCheckTest {

    /** The jars of other projects that this test has. They contain no class of Holdfast. */
    private static final String JARS = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> entry.endsWith(".jar") && !entry.contains("holdfast"))
            .collect(Collectors.joining(File.pathSeparator));

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int check(RedisServer server, CheckedLibrary library, String jars) {
        CheckOptions options = new CheckOptions(
                server.uri(), 20, 600, 0, library, jars, false, folder.resolve("page.html"), List.of(Phase.PROCESS), 7);
        return new Check(options, new PrintStream(printed, true, StandardCharsets.UTF_8)).run();
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    /** Pauses beyond the lease let locks pass on. Redisson's holder can ask before its next step, so nothing is said of its code. */
    static Stream<Arguments> libraries() {
        return Stream.of(
                Arguments.of(CheckedLibrary.REDISSON, "Redisson 4.", "its holder stopped in time"),
                Arguments.of(CheckedLibrary.SHEDLOCK, "ShedLock 7.", "its holder worked on and never learned"),
                Arguments.of(
                        CheckedLibrary.SPRING_INTEGRATION,
                        "Spring Integration 7.",
                        "its holder worked on and learned at its release"));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    @Nightly(inEachBuild = "ReaderLibraryTest uses each library, and ResultPageTest judges histories")
    void pageSaysHowALibraryTakesPauses(CheckedLibrary library, String title, String how) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            int code = check(server, library, JARS);
            assertThat(text())
                    .contains("Verdict: " + title)
                    .containsPattern("\"process paused\" \\(\\d+ times\\), a lock passed on during work .*" + how);
            assertThat(Files.readString(folder.resolve("page.html")))
                    .contains("<h1>" + title)
                    .contains("<svg");
            assertThat(code).isIn(CheckReport.KEPT, CheckReport.BROKEN);
            assertThat(server.cli().keys("*")).as("keys left behind").isEmpty();
        }
    }

    @Test
    void serverWithOtherDataIsLeftAlone() {
        try (RedisServer server = RedisServer.start()) {
            server.cli().set("order", "4711");
            assertThat(check(server, CheckedLibrary.SHEDLOCK, JARS)).isEqualTo(CheckReport.NO_RESULT);
            assertThat(text()).contains("No result: This Redis is not empty");
            assertThat(server.cli().keys("*")).containsExactly("order");
        }
    }

    @Test
    void missingJarsAreNamed() {
        try (RedisServer server = RedisServer.start()) {
            assertThat(check(server, CheckedLibrary.REDISSON, folder.toString()))
                    .isEqualTo(CheckReport.NO_RESULT);
            assertThat(text())
                    .contains("--class-path must contain the jars of Redisson and of what it needs."
                            + " It has no org.redisson.Redisson");
        }
    }
}
