package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The same seed gives the same history, bit by bit: with and without lines to read, in another process with other identity hashes, and on every JDK
 * that the environment names ({@code JAVA_HOME_17_X64} and the like, as the build's workflow does).
 */
class RepeatTest {

    @Test
    void aSeedGivesOneHistory() throws Exception {
        String here = Fingerprint.of(true);

        assertThat(Fingerprint.of(false)).isEqualTo(here);
    }

    @Test
    @Nightly(inEachBuild = "the history is the same twice in one process")
    void itIsTheSameInOtherProcesses() throws Exception {
        String here = Fingerprint.of(true);

        for (String home : homes()) {
            assertThat(in(home)).as(home).isEqualTo(here);
        }
    }

    private static List<String> homes() {
        List<String> homes = new ArrayList<>(List.of(System.getProperty("java.home")));
        for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
            if (variable.getKey().matches("JAVA_HOME_\\d+_.*")
                    && Files.isExecutable(Path.of(variable.getValue(), "bin", "java"))) {
                homes.add(variable.getValue());
            }
        }
        return homes;
    }

    private static String in(String home) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(home, "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:+UnlockExperimentalVMOptions",
                        "-XX:hashCode=2",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fingerprint.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return printed.trim();
    }
}
